//! A file of the simulated disk: what is pending, and what remains of it after a crash.

use std::collections::BTreeMap;

use crate::streams::Random;

const SECTOR_BYTES: u64 = 512;

/// A file as programs see it and as the disk holds it.
#[derive(Clone, Default)]
pub(crate) struct Contents {
    /// What a program reads.
    pub(crate) cached: Vec<u8>,
    /// What is certain to survive a crash.
    pub(crate) durable: Vec<u8>,
    /// Changes to `cached` that `durable` lacks, in order.
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
    /// A file whose contents are all on disk.
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

    /// What the disk holds after a crash: some part of the pending changes.
    pub(crate) fn after_crash(&self, random: &mut Random) -> Vec<u8> {
        let mut disk = self.durable.clone();
        match random.below(4) {
            0 => {}
            1 => self.pending.iter().for_each(|pending| pending.apply(&mut disk)),
            2 => self.keep_beginning(&mut disk, random),
            _ => self.keep_sectors(&mut disk, random),
        }
        // The file may have grown before its data was written.
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

    /// Any sectors, as if they had been written in any order, some of them only in part. Changes of the length lie between
    /// the writes before them and those behind.
    fn keep_sectors(&self, disk: &mut Vec<u8>, random: &mut Random) {
        let mut sectors = Sectors::default();
        for pending in &self.pending {
            match pending {
                Pending::Write(at, bytes) => sectors.add(*at, bytes),
                Pending::SetLen(_) => {
                    std::mem::take(&mut sectors).keep_some(disk, random);
                    if random.one_in(2) {
                        pending.apply(disk);
                    }
                }
            }
        }
        sectors.keep_some(disk, random);
    }
}

/// What was written to each sector, in order.
#[derive(Default)]
struct Sectors<'a>(BTreeMap<u64, Vec<(u64, &'a [u8])>>);

impl<'a> Sectors<'a> {
    fn add(&mut self, mut at: u64, mut bytes: &'a [u8]) {
        while !bytes.is_empty() {
            let room = (SECTOR_BYTES - at % SECTOR_BYTES) as usize;
            let (here, rest) = bytes.split_at(room.min(bytes.len()));
            self.0.entry(at / SECTOR_BYTES).or_default().push((at, here));
            (at, bytes) = (at + here.len() as u64, rest);
        }
    }

    /// A sector is written from the cache, as it is after some of the writes, and may be torn in one place.
    fn keep_some(self, disk: &mut Vec<u8>, random: &mut Random) {
        for writes in self.0.into_values() {
            let kept = &writes[..random.below(writes.len() as u64 + 1) as usize];
            let Some(start) = kept.iter().map(|(at, _)| *at as usize).min() else { continue };
            let end = kept.iter().map(|(at, bytes)| *at as usize + bytes.len()).max().unwrap_or(start);
            let mut image = disk.get(start..).unwrap_or_default().to_vec();
            image.resize(end - start, 0);
            kept.iter().for_each(|(at, bytes)| overwrite(&mut image, at - start as u64, bytes));
            let cut = random.below((end - start) as u64 + 1) as usize;
            match random.below(3) {
                0 => overwrite(disk, start as u64, &image),
                1 => overwrite(disk, start as u64, &image[..cut]),
                // The end of a sector may reach the disk without its beginning.
                _ => overwrite(disk, (start + cut) as u64, &image[cut..]),
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
