//! One line and one command, in both directions.

use std::io::{self, Write};
use std::str::FromStr;

use ::csv::ByteRecord;

use super::mistake::{COLUMNS, Column, Mistake};
use crate::{AccountId, Cents, Command, Intent, MarketId, OrderId, Outcome, Place, TimeInForce};

const COMMANDS: [&str; 6] = ["open", "deposit", "withdraw", "place", "cancel", "resolve"];
/// A line's fields.
pub(super) struct Row<'a> {
    fields: [&'a str; COLUMNS.len()],
}

impl<'a> Row<'a> {
    /// A line of `columns` columns.
    pub(super) fn parse(record: &'a ByteRecord, columns: usize) -> Result<Row<'a>, Mistake> {
        if record.len() != columns {
            return Err(Mistake::FieldCount { found: record.len(), expected: columns });
        }
        let mut fields = [""; COLUMNS.len()];
        for (column, bytes) in COLUMNS.into_iter().zip(record) {
            fields[column as usize] = str::from_utf8(bytes).map_err(|_| Mistake::NotText { column })?;
        }
        Ok(Row { fields })
    }

    /// How many columns the header in the first line names: all, or all except the last.
    pub(super) fn columns_of_header(record: &ByteRecord) -> Result<usize, Mistake> {
        let names = COLUMNS.iter().map(|column| column.name().as_bytes());
        let is_right = record.len() + 1 >= COLUMNS.len() && record.len() <= COLUMNS.len();
        if is_right && record.iter().eq(names.take(record.len())) { Ok(record.len()) } else { Err(Mistake::Header) }
    }

    pub(super) fn command(&self) -> Result<Command, Mistake> {
        match self.field(Column::Command) {
            "open" => {
                let [market] = self.uses("open", [Column::Market])?;
                Ok(Command::Open { market: market.market()? })
            }
            "deposit" => {
                let (market, account, amount) = self.transfer("deposit")?;
                Ok(Command::Deposit { market, account, amount, request: self.request(u32::MAX)? })
            }
            "withdraw" => {
                let (market, account, amount) = self.transfer("withdraw")?;
                Ok(Command::Withdraw { market, account, amount, request: self.request(u32::MAX)? })
            }
            "place" => self.place().map(Command::Place),
            "cancel" => {
                let [market, account, order] = self.uses("cancel", [Column::Market, Column::Account, Column::Order])?;
                let (market, account) = (market.market()?, account.account()?);
                let order = OrderId(order.number(u64::MAX)?);
                Ok(Command::Cancel { market, account, order, request: self.request(u32::MAX)? })
            }
            "resolve" => {
                let [market, outcome] = self.uses("resolve", [Column::Market, Column::Outcome])?;
                Ok(Command::Resolve { market: market.market()?, outcome: outcome.word(Outcome::ALL, Outcome::word)? })
            }
            text => Err(Field { column: Column::Command, text }.unknown(&COMMANDS)),
        }
    }

    fn transfer(&self, command: &'static str) -> Result<(MarketId, AccountId, Cents), Mistake> {
        let [market, account, amount] = self.uses(command, [Column::Market, Column::Account, Column::Amount])?;
        Ok((market.market()?, account.account()?, Cents(amount.number(u64::MAX)?)))
    }

    fn place(&self) -> Result<Place, Mistake> {
        let [market, account, intent, price, quantity, time_in_force] = self.uses(
            "place",
            [Column::Market, Column::Account, Column::Intent, Column::Price, Column::Quantity, Column::TimeInForce],
        )?;
        Ok(Place {
            market: market.market()?,
            account: account.account()?,
            intent: intent.word(Intent::ALL, Intent::word)?,
            price: price.number(u8::MAX)?,
            quantity: quantity.number(u32::MAX)?,
            time_in_force: time_in_force.word(TimeInForce::ALL, TimeInForce::word)?,
            client_order_id: self.request(u64::MAX)?,
        })
    }

    /// The client's number for the request, where the command can have one; 0 where the field is
    /// empty.
    fn request<T: FromStr + Into<u64> + Default>(&self, max: T) -> Result<T, Mistake> {
        let field = Field { column: Column::Request, text: self.field(Column::Request) };
        if field.text.is_empty() { Ok(T::default()) } else { field.number(max) }
    }

    /// The fields that a command uses. They must be filled, and all others empty, except the request's
    /// number.
    fn uses<const N: usize>(&self, command: &'static str, columns: [Column; N]) -> Result<[Field<'a>; N], Mistake> {
        for column in COLUMNS {
            let used = column == Column::Command || columns.contains(&column);
            let found = self.field(column);
            if column == Column::Request && !["open", "resolve"].contains(&command) {
                continue;
            }
            match (used, found.is_empty()) {
                (true, true) => return Err(Mistake::Missing { column, command }),
                (false, false) => return Err(Mistake::NotUsed { column, command, found: excerpt(found) }),
                _ => {}
            }
        }
        Ok(columns.map(|column| Field { column, text: self.field(column) }))
    }

    fn field(&self, column: Column) -> &'a str {
        self.fields[column as usize]
    }
}

/// A field and its column, for the message.
#[derive(Clone, Copy)]
struct Field<'a> {
    column: Column,
    text: &'a str,
}

impl Field<'_> {
    fn market(self) -> Result<MarketId, Mistake> {
        self.number(u32::MAX).map(MarketId)
    }

    fn account(self) -> Result<AccountId, Mistake> {
        self.number(u32::MAX).map(AccountId)
    }

    /// A number that fits the type of `max`.
    fn number<T: FromStr + Into<u64>>(self, max: T) -> Result<T, Mistake> {
        // Rust's own parser would also take "+5".
        let digits = self.text.bytes().all(|byte| byte.is_ascii_digit());
        let number = self.text.parse().ok().filter(|_| digits);
        number.ok_or_else(|| Mistake::NotANumber { column: self.column, found: excerpt(self.text), max: max.into() })
    }

    /// The value that a word stands for.
    fn word<T: Copy>(self, all: &[T], word: fn(T) -> &'static str) -> Result<T, Mistake> {
        let found = all.iter().copied().find(|&value| word(value) == self.text);
        found.ok_or_else(|| self.unknown(&all.iter().map(|&value| word(value)).collect::<Vec<_>>()))
    }

    fn unknown(self, words: &[&str]) -> Mistake {
        Mistake::UnknownWord { column: self.column, found: excerpt(self.text), expected: words.join(", ") }
    }
}

/// As much of a field as fits into a message.
fn excerpt(text: &str) -> String {
    const CHARS_MAX: usize = 40;
    match text.char_indices().nth(CHARS_MAX) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.into(),
    }
}

/// Writes the line of a command.
pub(super) fn write(to: &mut impl Write, command: &Command) -> io::Result<()> {
    match *command {
        Command::Open { market } => write!(to, "open,{market},,,,,,,,")?,
        Command::Deposit { market, account, amount, .. } => {
            write!(to, "deposit,{market},{account},,,,,,{},", amount.0)?;
        }
        Command::Withdraw { market, account, amount, .. } => {
            write!(to, "withdraw,{market},{account},,,,,,{},", amount.0)?;
        }
        Command::Place(Place { market, account, intent, price, quantity, time_in_force, .. }) => {
            let (intent, time_in_force) = (intent.word(), time_in_force.word());
            write!(to, "place,{market},{account},{intent},{price},{quantity},{time_in_force},,,")?;
        }
        Command::Cancel { market, account, order, .. } => write!(to, "cancel,{market},{account},,,,,{order},,")?,
        Command::Resolve { market, outcome } => write!(to, "resolve,{market},,,,,,,,{}", outcome.word())?,
    }
    match command.request() {
        0 => writeln!(to, ","),
        number => writeln!(to, ",{number}"),
    }
}
