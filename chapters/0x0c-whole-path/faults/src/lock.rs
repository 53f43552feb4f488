//! A count of the requests that wait for a sync. The journal holds its lock while it syncs, and each request takes the same lock
//! at the door.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gateway::door::{Door, Request};
use gateway::front::Front;
use gateway::layer::Layer;
use gateway::log_disk::{AroundLog, AroundLogs, LogDisk};
use gateway::reply::Session;
use market::log::SealedFrame;
use market::{LogFile, Options};

/// The count.
#[derive(Clone, Default)]
pub struct Counted(Arc<Mutex<usize>>);

impl Counted {
    fn lock(&self) -> MutexGuard<'_, usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Layer for Counted {
    fn options(&self, options: Options) -> Options {
        let disk = LogDisk::new(Arc::clone(&options.disk), self.clone());
        Options { disk: Arc::new(disk), ..options }
    }

    fn door(self: Arc<Self>, inner: Arc<dyn Door>) -> Arc<dyn Door> {
        Arc::new(CountingDoor(self, inner))
    }
}

impl Front for Counted {}

impl AroundLogs for Counted {
    fn log(&self, _: u16) -> Option<Box<dyn AroundLog>> {
        Some(Box::new(self.clone()))
    }
}

impl AroundLog for Counted {
    fn write(&mut self, _: SealedFrame, _: u64, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn sync(&mut self, file: &mut dyn LogFile) -> io::Result<()> {
        let mut count = self.lock();
        file.sync()?;
        *count = 0;
        Ok(())
    }
}

struct CountingDoor(Arc<Counted>, Arc<dyn Door>);

impl Door for CountingDoor {
    fn enter(&self, session: Session, request: Request) {
        *self.0.lock() += 1;
        self.1.enter(session, request);
    }
}
