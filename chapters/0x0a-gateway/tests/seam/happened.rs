//! What a run of the test covered.

/// What occurred, so that a test can show that it was covered.
#[derive(Default, Debug)]
pub struct Happened {
    pub answered: u64,
    /// Requests with several commands.
    pub lists: u64,
    pub deaf: u64,
    pub busy: u64,
    pub forbidden: u64,
    pub draining: u64,
    pub stopped: u64,
    pub restarts: u64,
    pub tickets_first: u64,
    pub answers_first: u64,
    pub traded: u64,
    pub resolved: u64,
    /// Commands with more events than are taken at once.
    pub long: u64,
}

impl Happened {
    pub fn add(&mut self, other: &Happened) {
        self.answered += other.answered;
        self.lists += other.lists;
        self.deaf += other.deaf;
        self.busy += other.busy;
        self.forbidden += other.forbidden;
        self.draining += other.draining;
        self.stopped += other.stopped;
        self.restarts += other.restarts;
        self.tickets_first += other.tickets_first;
        self.answers_first += other.answers_first;
        self.traded += other.traded;
        self.resolved += other.resolved;
        self.long += other.long;
    }
}
