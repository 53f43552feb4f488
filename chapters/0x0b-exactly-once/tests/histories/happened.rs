//! What happened over all histories, so that a test can say whether it was enough.

/// How much of what can happen did.
#[derive(Default, Debug)]
pub struct Happened {
    pub answers: usize,
    pub repeats: usize,
    pub too_old: usize,
    pub reused: usize,
    pub done: usize,
    pub crashes: usize,
    pub snapshots: usize,
    pub reshardings: usize,
    pub rejected: usize,
    pub busy: usize,
}

impl Happened {
    pub fn add(&mut self, other: &Happened) {
        self.answers += other.answers;
        self.repeats += other.repeats;
        self.too_old += other.too_old;
        self.reused += other.reused;
        self.done += other.done;
        self.crashes += other.crashes;
        self.snapshots += other.snapshots;
        self.reshardings += other.reshardings;
        self.rejected += other.rejected;
        self.busy += other.busy;
    }

    pub fn is_enough(&self) {
        let Happened { answers, repeats, too_old, reused, done, crashes, snapshots, reshardings, rejected, busy } =
            self;
        let all = [answers, repeats, too_old, reused, done, crashes, snapshots, reshardings, rejected, busy];
        assert!(all.into_iter().all(|count| *count > 50), "too little happened: {self:?}");
    }
}
