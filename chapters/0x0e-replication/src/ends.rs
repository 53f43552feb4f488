//! Whether a standby was asked to end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gateway::serve::asked_to_end;

use crate::link::Link;

/// How long a standby that was asked to end may take for that.
const END_TIME: Duration = Duration::from_secs(5);

/// Whether the program was asked to end, until a venue hears that itself. What waits for servers that do not answer can't look,
/// so the program ends by itself a little later: as after a kill, nothing is lost.
#[derive(Clone)]
pub struct Ends {
    asked: Arc<AtomicBool>,
    has_venue: Arc<AtomicBool>,
}

impl Ends {
    /// From now on.
    pub fn watch(link: &Link) -> Ends {
        let ends = Ends { asked: Arc::default(), has_venue: Arc::default() };
        let own = ends.clone();
        link.spawn(async move {
            asked_to_end().await;
            if !own.has_venue.load(Ordering::SeqCst) {
                own.asked.store(true, Ordering::SeqCst);
                tokio::time::sleep(END_TIME).await;
                std::process::exit(0);
            }
        });
        ends
    }

    /// Whether it was asked.
    pub fn now(&self) -> bool {
        self.asked.load(Ordering::SeqCst)
    }

    /// From now on the venue hears when the program is asked to end.
    pub fn leave_to_venue(&self) {
        self.has_venue.store(true, Ordering::SeqCst);
    }
}
