//! A file of the simulated disk: what is pending, and what a crash leaves of it.

use crate::streams::Random;

const SECTOR_BYTES: u64 = 512;

/// A file as programs see it and as the disk holds it.
#[derive(Clone, Default)]
pub(crate) struct Contents {
    /// What a program reads.
    pub(crate) cached: Vec<u8>,
    /// What is certain to survive a crash.
    pub(crate) durable: Vec<u8>,
    /// What has been done to the one and not yet to the other, in order.
    pub(crate) pending: Vec<Pending>,
}

/// A change that no sync has made durable.
#[derive(Clone)]
pub(crate) enum Pending {
    /// These bytes at this place.
    Write(u64, Vec<u8>),
    /// A new length.
    SetLen(u64),
}

impl Contents {
    /// A file that is on disk as it is.
    pub(crate) fn durable(bytes: &[u8]) -> Contents {
        Contents { cached: bytes.to_vec(), durable: bytes.to_vec(), pending: Vec::new() }
    }

    /// Makes a change that programs see at once.
    pub(crate) fn change(&mut self, change: Pending) {
        change.apply(&mut self.cached);
        self.pending.push(change);
    }

    /// Makes everything durable.
    pub(crate) fn sync(&mut self) {
        for pending in self.pending.drain(..) {
            pending.apply(&mut self.durable);
        }
    }

    /// Drops from the cache what is believed to be on disk, so that it is read from there again.
    pub(crate) fn evict(&mut self) {
        self.cached = self.durable.clone();
        self.pending.iter().for_each(|pending| pending.apply(&mut self.cached));
    }

    /// What the disk holds after a crash: of what is pending, some part.
    pub(crate) fn after_crash(&self, random: &mut Random) -> Vec<u8> {
        let mut disk = self.durable.clone();
        match random.below(4) {
            0 => {}
            1 => self.pending.iter().for_each(|pending| pending.apply(&mut disk)),
            2 => self.keep_beginning(&mut disk, random),
            _ => self.keep_sectors(&mut disk, random),
        }
        // A file may have grown before its data came.
        if disk.len() < self.cached.len() && random.one_in(2) {
            disk.resize(self.cached.len(), 0);
        }
        disk
    }

    /// Everything up to some byte of some write.
    fn keep_beginning(&self, disk: &mut Vec<u8>, random: &mut Random) {
        if self.pending.is_empty() {
            return;
        }
        let whole = random.below(self.pending.len() as u64) as usize;
        self.pending[..whole].iter().for_each(|pending| pending.apply(disk));
        if let Pending::Write(at, bytes) = &self.pending[whole] {
            let kept = random.below(bytes.len() as u64 + 1) as usize;
            overwrite(disk, *at, &bytes[..kept]);
        }
    }

    /// Any sectors, as if they had been written in any order, some of them only in part.
    fn keep_sectors(&self, disk: &mut Vec<u8>, random: &mut Random) {
        for pending in &self.pending {
            match pending {
                Pending::SetLen(_) if random.one_in(2) => pending.apply(disk),
                Pending::SetLen(_) => {}
                Pending::Write(at, bytes) => {
                    let mut from = 0;
                    while from < bytes.len() {
                        let place = at + from as u64;
                        let sector = (SECTOR_BYTES - place % SECTOR_BYTES) as usize;
                        let to = bytes.len().min(from + sector);
                        match random.below(3) {
                            0 => {}
                            1 => overwrite(disk, place, &bytes[from..to]),
                            _ => {
                                let cut = from + random.below((to - from) as u64 + 1) as usize;
                                // The end of a sector may reach the disk without its beginning.
                                if random.one_in(2) {
                                    overwrite(disk, place, &bytes[from..cut]);
                                } else {
                                    overwrite(disk, at + cut as u64, &bytes[cut..to]);
                                }
                            }
                        }
                        from = to;
                    }
                }
            }
        }
    }
}

impl Pending {
    fn apply(&self, file: &mut Vec<u8>) {
        match self {
            Pending::Write(at, bytes) => overwrite(file, *at, bytes),
            Pending::SetLen(length) => file.resize(*length as usize, 0),
        }
    }
}

fn overwrite(file: &mut Vec<u8>, at: u64, bytes: &[u8]) {
    let (from, to) = (at as usize, at as usize + bytes.len());
    if bytes.is_empty() {
        return;
    }
    if file.len() < to {
        file.resize(to, 0);
    }
    file[from..to].copy_from_slice(bytes);
}
