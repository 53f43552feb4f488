//! The book from C, C++ and Python, with the system's compilers and the shared library; and what C may do wrong.

use std::env;
use std::mem::MaybeUninit;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr;
use std::time::{Duration, Instant};

use any_price_c::ffi::{any_price_apply, any_price_batch, any_price_create, any_price_destroy};
use any_price_c::words::{AnyPriceBook, AnyPriceCommand, AnyPriceEvent};

/// The output of `example.c`.
const EXAMPLE: &str = "\
1: rested ask 101: 10 at 1000000, 10 left
2: rested ask 102: 10 at 9223372036854775807, 10 left
3: reduced ask 102: 8 at 9223372036854775807, 8 left
4: cancelled ask 102: 8 at 9223372036854775807, 0 left, reason 2
4: rested ask 102: 8 at 1000007, 8 left
5: filled ask 101: 10 at 1000000, 0 left, by 103
5: filled ask 102: 4 at 1000007, 4 left, by 103
6: rejected bid 102: 0 at 5, 0 left, reason 2
7: rested bid 104: 3 at -9223372036854775808, 3 left
8: rejected no 105: 0 at 0, 0 left, reason 6
best ask 1000007 with 4
9: cancelled ask 102: 4 at 1000007, 0 left, reason 1
9: rejected no 102: 0 at 0, 0 left, reason 3
10: filled bid 104: 3 at -9223372036854775808, 0 left, by 105
10: cancelled ask 105: 2 at 0, 0 left, reason 4
bids left: 0, without a book: 0
14 events
";

/// What the strangers in C++ and Python print: number, kind, id, taker, side, price, quantity, left.
const STRANGER: &str = "1 2 7 0 1 -50 10 10\n2 1 7 8 1 -50 4 6\n";

/// The folder of this test, where cargo also puts the library.
fn library_folder() -> PathBuf {
    let test = env::current_exe().expect("a test is a program");
    test.parent().expect("a program is in a folder").to_path_buf()
}

/// Why a program can't be started here, if it can't; the CI has to have it.
fn missing(program: &str) -> Option<String> {
    let is_there = Command::new(program).arg("--version").output().is_ok_and(|ended| ended.status.success());
    assert!(is_there || env::var_os("CI").is_none(), "CI has to have {program}");
    (!is_there || !cfg!(unix)).then(|| format!("skipped: {program} can't be started here"))
}

fn printed(command: &mut Command) -> String {
    let ended = command.output().expect("it starts");
    assert!(ended.status.success(), "{command:?}: {}", String::from_utf8_lossy(&ended.stderr));
    String::from_utf8_lossy(&ended.stdout).into_owned()
}

/// Compiles a file of this folder against the library, and runs it.
fn compiled(compiler: &str, flags: &[&str], file: &str) -> String {
    let (here, libraries) = (Path::new(env!("CARGO_MANIFEST_DIR")), library_folder());
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("stranger");
    let mut compile = Command::new(compiler);
    compile.args(flags).args(["-Wall", "-Wextra", "-Werror", "-pedantic", "-I"]).arg(here.join("include"));
    compile.arg(here.join(file)).arg("-o").arg(&program);
    compile.arg("-L").arg(&libraries).arg("-lany_price_c").arg(format!("-Wl,-rpath,{}", libraries.display()));
    printed(&mut compile);
    printed(&mut Command::new(&program))
}

#[test]
fn the_example_in_c_runs() {
    let compiler = env::var("CC").unwrap_or_else(|_| "cc".into());
    if let Some(why) = missing(&compiler) {
        eprintln!("{why}");
        return;
    }
    assert_eq!(compiled(&compiler, &["-std=c11"], "example.c"), EXAMPLE);
}

#[test]
fn a_stranger_in_cpp_gets_the_same_book() {
    let compiler = env::var("CXX").unwrap_or_else(|_| "c++".into());
    if let Some(why) = missing(&compiler) {
        eprintln!("{why}");
        return;
    }
    assert_eq!(compiled(&compiler, &["-std=c++17"], "stranger.cpp"), STRANGER);
}

#[test]
fn a_stranger_in_python_gets_the_same_book() {
    if let Some(why) = missing("python3") {
        eprintln!("{why}");
        return;
    }
    let library = format!("{}any_price_c{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut python = Command::new("python3");
    assert_eq!(printed(python.arg(here.join("stranger.py")).arg(library_folder().join(library))), STRANGER);
}

fn limit(number: u64, side: u8, quantity: u32) -> AnyPriceCommand {
    AnyPriceCommand { number, id: number, price: 7, quantity, kind: 1, side, ..AnyPriceCommand::default() }
}

/// A batch into an array of this size.
fn batch(book: &mut AnyPriceBook, commands: &[AnyPriceCommand], room: usize) -> (usize, Vec<AnyPriceEvent>) {
    let mut events = vec![MaybeUninit::uninit(); room];
    let (done, written) = book.batch(commands, &mut events);
    // SAFETY: `batch` has initialised these.
    (done, events[..written].iter().map(|event| unsafe { event.assume_init() }).collect())
}

/// Arrays of every size get the same events in the same order, each with its command's number.
#[test]
fn events_that_find_no_room_come_first_in_the_next_call() {
    let asks = (1..=5).map(|number| limit(number, 1, 1));
    let commands: Vec<AnyPriceCommand> = asks.chain([limit(6, 0, 9), limit(7, 2, 1), limit(8, 1, 2)]).collect();
    let all = |room: usize| {
        let (mut book, mut done, mut said) = (AnyPriceBook::default(), 0, Vec::new());
        loop {
            let (more, events) = batch(&mut book, &commands[done..], room);
            let written = events.len();
            done += more;
            said.extend(events);
            if done == commands.len() && written < room {
                return said;
            }
        }
    };
    let said = all(100);
    let numbers: Vec<u64> = said.iter().map(|event| event.number).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 6, 6, 6, 6, 6, 7, 8]);
    let left: Vec<(u8, u8, u32)> = said[10..].iter().map(|event| (event.kind, event.reason, event.left)).collect();
    assert_eq!(left, [(2, 0, 4), (5, 6, 0), (1, 0, 2)]);
    for room in 1..20 {
        assert_eq!(all(room), said, "{room} at a time");
    }
    assert_eq!(AnyPriceBook::default().batch(&commands, &mut []), (0, 0));
}

/// A book with this many events that wait, of command 2.
fn book_with_waiting(events: u32) -> AnyPriceBook {
    let mut book = AnyPriceBook::default();
    for id in 1..=u64::from(events) {
        book.apply(&AnyPriceCommand { id, ..limit(1, 1, 1) }, |_| ());
    }
    let (done, said) = batch(&mut book, &[AnyPriceCommand { id: u64::MAX, ..limit(2, 0, events) }], 1);
    assert_eq!((done, said.len()), (1, 1));
    book
}

#[test]
fn a_single_command_comes_after_the_events_that_wait() {
    let mut book = book_with_waiting(4);
    let (command, mut numbers) = (limit(9, 0, 1), Vec::new());
    // SAFETY: the book and the command live; there is no callback.
    assert!(unsafe { any_price_apply(&raw mut book, &raw const command, None, ptr::null_mut()) });
    book.apply(&limit(3, 0, 1), |event| numbers.push(event.number));
    assert_eq!(numbers, [2, 2, 2, 3]);
    assert_eq!(batch(&mut book, &[], 9), (0, Vec::new()));
}

/// An empty vector of C++ has a null pointer.
#[test]
fn events_that_wait_can_be_taken_without_commands() {
    let mut events = [MaybeUninit::uninit(); 2];
    let mut take = |book: *mut AnyPriceBook, commands: &[AnyPriceCommand], start: *const AnyPriceCommand| {
        let mut written = 9;
        // SAFETY: the book lives, and the arrays have these lengths.
        let done = unsafe { any_price_batch(book, start, commands.len(), events.as_mut_ptr(), 2, &raw mut written) };
        (done, written)
    };
    let asks = [limit(1, 1, 1), limit(2, 1, 1), limit(3, 1, 1), limit(4, 0, 3)];
    let (none, book) = (ptr::null(), any_price_create());
    assert_eq!(take(book, &asks[..2], asks.as_ptr()), (2, 2));
    assert_eq!(take(book, &asks[2..], asks[2..].as_ptr()), (2, 2));
    assert_eq!(take(book, &asks, none), (0, 0), "null with a count of 4");
    assert_eq!(take(book, &[], none), (0, 2));
    assert_eq!(take(book, &[], none), (0, 0));
    // SAFETY: it is not used again.
    unsafe { any_price_destroy(book) };
}

/// Sixteen at a time or all at once: each event is moved once.
#[test]
fn taking_events_costs_the_same_for_each() {
    const EVENTS: u32 = 200_000;
    let time = |room: usize| -> Duration {
        let mut book = book_with_waiting(EVENTS);
        let mut events = vec![MaybeUninit::uninit(); room];
        let (start, mut taken) = (Instant::now(), 1);
        while taken < EVENTS as usize {
            taken += book.batch(&[], &mut events).1;
        }
        start.elapsed()
    };
    let (few, all) = (time(16), time(EVENTS as usize));
    assert!(few < 30 * all, "{few:?} sixteen at a time, {all:?} all at once");
}

/// A handle finds its own order and no other; 0 finds by id.
#[test]
fn a_handle_that_is_not_the_orders_is_refused() {
    let mut book = AnyPriceBook::default();
    let mut one = |command: AnyPriceCommand| {
        let mut events = Vec::new();
        book.apply(&command, |event| events.push(event));
        events
    };
    let handles = [1, 2].map(|number| one(limit(number, 1, 5))[0].handle);
    let cancel = |id, handle| AnyPriceCommand { number: 9, id, handle, kind: 3, ..AnyPriceCommand::default() };
    for handle in [handles[1], 3, 300, u32::MAX] {
        let said = one(cancel(1, handle));
        assert_eq!((said[0].kind, said[0].reason, said[0].side), (5, 3, 2), "handle {handle}");
    }
    let said = one(cancel(1, handles[0]));
    assert_eq!((said[0].kind, said[0].side, said[0].price, said[0].quantity), (4, 1, 7, 5));
    assert_eq!(one(cancel(1, handles[0]))[0].kind, 5);
    assert_eq!(one(cancel(2, 0))[0].kind, 4);
}
