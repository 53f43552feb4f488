//! What the operator reads when the store panics.
//!
//! At some damaged bytes `fjall` panics where it should return an error. It may panic again while it is dropped, and that
//! ends the process. So the panic can't be caught, but the operator can still be told what to do.

use std::panic;
use std::sync::Once;

/// The crates of the store, as they stand in the path of a source file.
const STORE: [&str; 3] = ["fjall-", "lsm-tree-", "sfa-"];

/// From now on a panic inside the store is followed by what to do about it.
pub fn explain() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            before(panic);
            if panic.location().is_some_and(|place| STORE.iter().any(|name| place.file().contains(name))) {
                program::tell(format_args!(
                    "the history's store panicked, so its files are probably damaged; they were derived from the log and \
                     can be made again: start with --rebuild; the log is not touched"
                ));
            }
        }));
    });
}
