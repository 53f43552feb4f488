//! The CSV format: what is written is read back, and each mistake is reported with its line.

use std::path::Path;

use contract::fuzz;
use market::csv::{self, Column, CsvError, HEADER, Mistake};
use market::{AccountId, Cents, Command, Intent, MarketId, OrderId, Outcome, Place, TimeInForce};
use proptest::prelude::*;
use proptest::sample::select;

fn read(text: impl AsRef<[u8]>) -> Result<Vec<Command>, CsvError> {
    csv::read_from(text.as_ref(), "orders.csv")
}

fn written(commands: &[Command]) -> String {
    let mut bytes = Vec::new();
    csv::write(&mut bytes, commands.iter().copied()).expect("a Vec takes every byte");
    String::from_utf8(bytes).expect("CSV is text")
}

/// The header without its last column, which a file may leave out.
const SHORT: &str = "command,market,account,intent,price,quantity,time_in_force,order,amount,outcome";

/// The error for a file with the short header and this line.
fn message(line: &str) -> String {
    read(format!("{SHORT}\n{line}\n")).expect_err("the line is wrong").to_string()
}

#[test]
fn the_documented_example_is_read() {
    let text = format!(
        "{HEADER}\nopen,1,,,,,,,,,\ndeposit,1,42,,,,,,100000,,1\nplace,1,42,buy-yes,55,10,gtc,,,,2\n\
         cancel,1,42,,,,,1,,,\nwithdraw,1,42,,,,,,5000,,\nresolve,1,,,,,,,,yes,\n"
    );
    let (market, account) = (MarketId(1), AccountId(42));
    let commands = [
        Command::Open { market },
        Command::Deposit { market, account, amount: Cents(100_000), request: 1 },
        Command::Place(Place {
            market,
            account,
            intent: Intent::BuyYes,
            price: 55,
            quantity: 10,
            time_in_force: TimeInForce::Gtc,
            client_order_id: 2,
        }),
        Command::Cancel { market, account, order: OrderId(1), request: 0 },
        Command::Withdraw { market, account, amount: Cents(5_000), request: 0 },
        Command::Resolve { market, outcome: Outcome::Yes },
    ];
    assert_eq!(read(&text).unwrap(), commands);
    assert_eq!(written(&commands), text);
}

#[test]
fn what_an_engine_rejects_is_read_all_the_same() {
    let text =
        format!("{HEADER}\nplace,0,0,sell-no,0,0,fok,,,,\nplace,1,1,buy-no,255,1,ioc,,,,\ndeposit,1,1,,,,,,0,,\n");
    assert_eq!(written(&read(&text).unwrap()), text);
}

#[test]
fn every_mistake_is_named() {
    let cases = [
        ("place,1,1,buy-yes,abc,1,gtc,,,", r#"price "abc" is not a whole number from 0 to 255"#),
        ("place,1,1,buy-yes,256,1,gtc,,,", r#"price "256" is not a whole number from 0 to 255"#),
        ("place,1,1,buy-yes,+5,1,gtc,,,", r#"price "+5" is not a whole number from 0 to 255"#),
        ("place,1,1,buy-yes,5.5,1,gtc,,,", r#"price "5.5" is not a whole number from 0 to 255"#),
        ("place,1,1,buy-yes, 5,1,gtc,,,", r#"price " 5" is not a whole number from 0 to 255"#),
        ("place,1,1,buy-yes,5,-1,gtc,,,", r#"quantity "-1" is not a whole number from 0 to 4294967295"#),
        ("open,4294967296,,,,,,,,", r#"market "4294967296" is not a whole number from 0 to 4294967295"#),
        ("cancel,1,x,,,,,1,,", r#"account "x" is not a whole number from 0 to 4294967295"#),
        ("cancel,1,1,,,,,1e3,,", r#"order "1e3" is not a whole number from 0 to 18446744073709551615"#),
        (
            "deposit,1,1,,,,,,18446744073709551616,",
            r#"amount "18446744073709551616" is not a whole number from 0 to 18446744073709551615"#,
        ),
        ("buy,1,1,,,,,,,", r#"command "buy" is none of: open, deposit, withdraw, place, cancel, resolve"#),
        (",,,,,,,,,", r#"command "" is none of: open, deposit, withdraw, place, cancel, resolve"#),
        ("place,1,1,buy,5,1,gtc,,,", r#"intent "buy" is none of: buy-yes, sell-yes, buy-no, sell-no"#),
        ("place,1,1,buy-no,5,1,GTC,,,", r#"time_in_force "GTC" is none of: gtc, ioc, fok, post-only"#),
        ("resolve,1,,,,,,,,maybe", r#"outcome "maybe" is none of: yes, no"#),
        ("place,1,1,buy-yes,,1,gtc,,,", "price is empty; place needs it"),
        ("resolve,,,,,,,,,yes", "market is empty; resolve needs it"),
        ("cancel,1,1,,7,,,1,,", r#"price is "7"; it must be empty, cancel does not use it"#),
        ("open,1,,,,,,,,no", r#"outcome is "no"; it must be empty, open does not use it"#),
        ("open,1", &format!("2 fields where the header has 10: `{HEADER}`")),
        ("open,1,,,,,,,,,", &format!("11 fields where the header has 10: `{HEADER}`")),
    ];
    for (line, expected) in cases {
        assert_eq!(message(line), format!("orders.csv:2: {expected}"), "{line}");
    }
}

/// The last column is the number of a request, in files that have it.
#[test]
fn requests_have_numbers_that_fit() {
    let number = |line: &str| read(format!("{HEADER}\n{line}\n")).map(|commands| commands[0].request());
    assert_eq!(number("place,1,1,buy-yes,5,1,gtc,,,,18446744073709551615").unwrap(), u64::MAX);
    assert_eq!(number("withdraw,1,42,,,,,,5000,,4294967295").unwrap(), u32::MAX.into());
    assert_eq!(number("cancel,1,42,,,,,1,,,").unwrap(), 0);
    let cases = [
        ("deposit,1,42,,,,,,1,,4294967296", r#"request "4294967296" is not a whole number from 0 to 4294967295"#),
        ("place,1,1,buy-yes,5,1,gtc,,,,x", r#"request "x" is not a whole number from 0 to 18446744073709551615"#),
        ("open,1,,,,,,,,,7", r#"request is "7"; it must be empty, open does not use it"#),
        ("resolve,1,,,,,,,,yes,7", r#"request is "7"; it must be empty, resolve does not use it"#),
        ("open,1,,,,,,,,", &format!("10 fields where the header has 11: `{HEADER}`")),
    ];
    for (line, expected) in cases {
        assert_eq!(number(line).unwrap_err().to_string(), format!("orders.csv:2: {expected}"), "{line}");
    }
}

#[test]
fn a_long_field_is_cut_in_the_message() {
    let line = format!("open,{},,,,,,,,", "ü".repeat(1_000));
    let expected = format!("market \"{}...\" is not a whole number from 0 to 4294967295", "ü".repeat(40));
    assert_eq!(message(&line), format!("orders.csv:2: {expected}"));
}

#[test]
fn a_file_starts_with_the_header() {
    assert_eq!(
        read("").unwrap_err().to_string(),
        format!("orders.csv: the file is empty; its first line must be `{HEADER}`")
    );
    assert_eq!(read("\n\r\n").unwrap_err().to_string(), read("").unwrap_err().to_string());
    let headless = read("\nopen,1,,,,,,,,\n").unwrap_err();
    assert_eq!(
        headless.to_string(),
        format!(
            "orders.csv:2: the first line is not the header, which must be `{HEADER}`; the last column may be left out"
        )
    );
    assert!(read(HEADER).unwrap().is_empty());
}

#[test]
fn bytes_that_are_no_text_are_named() {
    let mut bytes = format!("{SHORT}\nopen,").into_bytes();
    bytes.extend_from_slice(b"\xff,,,,,,,,\n");
    let error = read(bytes).unwrap_err();
    let CsvError::Line { line: 2, mistake: Mistake::NotText { column: Column::Market }, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(error.to_string(), "orders.csv:2: market is not valid UTF-8");
}

#[test]
fn a_missing_file_is_named() {
    let error = csv::read(Path::new("no/such/orders.csv")).unwrap_err();
    assert!(error.to_string().starts_with("no/such/orders.csv: "), "{error}");
}

#[test]
fn the_line_is_right_whatever_comes_before_it() {
    let bad = "open,x,,,,,,,,";
    let texts = [
        (format!("{SHORT}\n\n\nopen,1,,,,,,,,\n\n{bad}\n"), 6),
        (format!("{SHORT}\r\n\r\nopen,1,,,,,,,,\r\n{bad}\r\n"), 4),
        (format!("\u{feff}{SHORT}\r\nopen,1,,,,,,,,\r\n\r\n\n{bad}"), 5),
        (format!("{SHORT}\n\"open\",\"1\",,,,,,,,\n{bad}"), 3),
        (format!("{SHORT}\n\nopen,\"1\n\n\",,,,,,,,\n"), 3),
        (format!("{SHORT}\n\n\nopen,\"1,,,,,,,,\nopen,2,,,,,,,,\n"), 4),
        (format!("\n{SHORT}\nopen,1,,,,,,,,\n\n\n{bad}\n\n"), 6),
    ];
    for (text, expected) in texts {
        let error = read(&text).unwrap_err();
        assert!(matches!(error, CsvError::Line { line, .. } if line == expected), "{text:?} gives {error}");
    }
}

#[test]
fn quotes_line_ends_and_a_byte_order_mark_change_nothing() {
    let plain = read(format!("{SHORT}\nopen,7,,,,,,,,\n")).unwrap();
    let quoted_header = SHORT.split(',').map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(",");
    for text in [
        format!("\u{feff}{SHORT}\r\nopen,7,,,,,,,,\r\n"),
        format!("{quoted_header}\n\n\"open\",\"7\",\"\",,,,,,,\n\n"),
        format!("{SHORT}\nopen,7,,,,,,,,"),
    ] {
        assert_eq!(read(&text).unwrap(), plain, "{text:?}");
    }
}

fn any_command() -> impl Strategy<Value = Command> {
    let market = any::<u32>().prop_map(MarketId);
    let account = any::<u32>().prop_map(AccountId);
    let place = (any::<u8>(), any::<u32>(), select(Intent::ALL), select(TimeInForce::ALL));
    (0..6, market, account, any::<u64>(), place, select(Outcome::ALL)).prop_map(
        |(kind, market, account, value, (price, quantity, intent, time_in_force), outcome)| match kind {
            0 => Command::Open { market },
            1 => Command::Deposit { market, account, amount: Cents(value), request: quantity },
            2 => Command::Withdraw { market, account, amount: Cents(value), request: quantity },
            3 => {
                let client_order_id = value;
                Command::Place(Place { market, account, intent, price, quantity, time_in_force, client_order_id })
            }
            4 => Command::Cancel { market, account, order: OrderId(value), request: quantity },
            _ => Command::Resolve { market, outcome },
        },
    )
}

proptest! {
    #[test]
    fn commands_are_read_as_they_were_written(commands in proptest::collection::vec(any_command(), 0..50)) {
        prop_assert_eq!(read(written(&commands)).expect("it was just written"), commands);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        fuzz::csv(&bytes);
    }

    /// Almost correct files get further into the reader than random bytes.
    #[test]
    fn no_change_of_a_good_file_makes_it_panic(
        commands in proptest::collection::vec(any_command(), 1..10),
        at in any::<prop::sample::Index>(),
        byte in select(b"\",\r\n0a\xff\0".to_vec()),
    ) {
        let mut bytes = written(&commands).into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        fuzz::csv(&bytes);
    }
}
