//! Damage that looks like a crash: acknowledged frames that can't be read, followed by a torn frame.
//!
//! What is cut off as torn is lost without a message to anyone. So an engine must not treat as torn what the
//! bytes prove to have been acknowledged: it refuses the log, and leaves it as it found it.

use crate::crash::{damaged, fixture, oracle};
use crate::fixture::{Fixture, Frame, Framing, unsynced_disk};
use crate::folder::Folder;
use crate::streams::Random;
use std::path::PathBuf;

use market::log::{RECORD_BYTES, ShardOf};
use market::{Engine, MarketId};

const FRAMINGS: [Framing; 4] = [Framing::One, Framing::Many(2), Framing::Many(32), Framing::Mixed(24)];

/// Sector sizes. When the power fails during a write, the whole sector may be spoiled.
const SECTORS: [usize; 2] = [512, 4_096];

/// A bit has flipped in each of the last fifty frames, and a crash cuts ten bytes off.
pub fn rot_before_a_torn_frame<E: Engine>() {
    let folder = Folder::new(unsynced_disk());
    for framing in FRAMINGS {
        let log = fixture(&oracle(200), framing);
        for rotten in [2, 50] {
            let rotten = &log.frames[log.frames.len().saturating_sub(rotten)..];
            let mut bytes = log.bytes[..log.end() - 10].to_vec();
            rotten.iter().for_each(|frame| bytes[frame.start + RECORD_BYTES + 5] ^= 4);
            refuses::<E>(&folder, rotten[0], &bytes)
                .unwrap_or_else(|error| panic!("{framing:?}, {} rotten frames: {error}", rotten.len()));
        }
    }
}

/// The last frame but one has a flipped bit, and any possible part of the last frame was written, in a file that
/// ends there or has reserved space behind it.
pub fn rot_before_a_frame_cut_at_every_byte<E: Engine>() {
    let folder = Folder::new(unsynced_disk());
    let log = fixture(&oracle(60), Framing::Many(4));
    let [.., before, last] = log.frames[..] else { panic!("there are many frames") };
    // A frame of nothing but zeros can't be told from space that was never written.
    for length in last.start + 1..last.end {
        let mut bytes = log.bytes[..length].to_vec();
        // In its header as well.
        bytes[before.start + 7 * length % (5 * RECORD_BYTES)] ^= 1 << (length % 8);
        for reserved in [0, 500] {
            bytes.resize(length + reserved, 0);
            refuses::<E>(&folder, before, &bytes)
                .unwrap_or_else(|error| panic!("cut at byte {length}, {reserved} bytes reserved: {error}"));
        }
    }
}

/// The power fails while a frame is written, and everything that shares a sector with the frame is spoiled
/// too.
pub fn a_spoiled_sector<E: Engine>() {
    let folder = Folder::new(unsynced_disk());
    let mut random = Random::new(14);
    let mut spoiled = 0;
    for (framing, commands) in FRAMINGS.into_iter().zip([200, 300, 900, 900]) {
        let log = fixture(&oracle(commands), framing);
        for sector_bytes in SECTORS {
            for torn in &log.frames {
                let sector = torn.start / sector_bytes * sector_bytes;
                // The sector of the file's header has its own refusal; and a sector that begins with the frame is not
                // shared.
                if sector == 0 || sector == torn.start {
                    continue;
                }
                for bytes in torn_with_its_sector(&log, *torn, sector..sector + sector_bytes, &mut random) {
                    let hurt = log.frame_at(sector).unwrap();
                    refuses::<E>(&folder, hurt, &bytes).unwrap_or_else(|error| {
                        panic!("{framing:?}, {sector_bytes} bytes from {sector} spoiled by {torn:?}: {error}")
                    });
                    spoiled += 1;
                }
            }
        }
    }
    assert!(spoiled > 500, "only {spoiled} sectors were spoiled");
}

/// The log up to the frame `torn`, with random bytes in `sector`. The rest of the frame, behind the sector, was
/// written, or is zeros, or lies beyond the end of the file.
fn torn_with_its_sector(
    log: &Fixture,
    torn: Frame,
    sector: std::ops::Range<usize>,
    random: &mut Random,
) -> [Vec<u8>; 3] {
    let mut whole = log.bytes[..torn.end].to_vec();
    let spoiled = sector.start..sector.end.min(whole.len());
    whole[spoiled.clone()].iter_mut().for_each(|byte| *byte = random.below(256) as u8);
    let mut zeros = whole.clone();
    zeros[spoiled.end..].fill(0);
    zeros.resize(sector.end + 100, 0);
    let short = whole[..spoiled.end].to_vec();
    [whole, zeros, short]
}

/// Two shards' logs: six commands a frame, 24 in all.
fn two_logs(folder: &Folder) -> [(PathBuf, Fixture); 2] {
    [0, 1].map(|shard| {
        let of = ShardOf { shard, shards: 2 };
        let mut commands = Random::new(15).stream(1_000);
        commands.retain(|command| command.market() == MarketId(shard.into()));
        commands.truncate(24);
        assert_eq!(commands.len(), 24);
        (folder.path().join(of.file_name()), Fixture::new(&commands, Framing::Many(6), of))
    })
}

/// The frame of another shard's log has the right sequence, and lies where this shard's frame was: a misdirected
/// write. Its checksum is wrong here.
pub fn a_siblings_frame<E: Engine>() {
    let mut folder = Folder::new(unsynced_disk());
    folder.options.shards = 2;
    let logs = two_logs(&folder);
    for into in [0, 1] {
        let ((path, log), (_, other)) = (&logs[into], &logs[1 - into]);
        for (path, log) in &logs {
            std::fs::write(path, &log.bytes).unwrap();
        }
        // This also writes the watermarks; they do not cover the last frame when that is not the log's own.
        let (engine, recovery) = E::open(&folder.options, &mut crate::harness::Acks::default().receivers()).unwrap();
        assert_eq!(recovery.commands, 48);
        drop(engine);
        for (at, frame) in log.frames.iter().enumerate() {
            let mut bytes = log.bytes.clone();
            bytes[frame.start..frame.end].copy_from_slice(&other.bytes[frame.start..frame.end]);
            std::fs::write(path, &bytes).unwrap();
            let before = folder.files();
            let error = folder.refusal::<E>().unwrap_or_else(|error| panic!("frame {at} of shard {into}: {error}"));
            let words = error.to_string();
            let place = if at < 3 { format!("byte {}", frame.start) } else { "command 24 was on disk".into() };
            let named = [path.display().to_string(), place];
            assert!(named.iter().all(|name| words.contains(name)), "the error does not name {named:?}: {words}");
            assert!(folder.files() == before, "the engine refused, but files changed: {words}");
        }
    }
}

/// One log of two is damaged, and the other one is torn: the engine changes no file of either, whichever it
/// reads first.
pub fn one_log_of_several_is_refused<E: Engine>() {
    let mut folder = Folder::new(unsynced_disk());
    folder.options.shards = 2;
    let logs = two_logs(&folder);
    for damaged in [0, 1] {
        for _ in 0..20 {
            for (at, (path, log)) in logs.iter().enumerate() {
                let _ = std::fs::remove_file(market::watermark::path_of(path));
                let mut bytes = log.bytes[..log.end() - 40].to_vec();
                bytes[log.frames[1].start + 30] ^= u8::from(at == damaged);
                std::fs::write(path, &bytes).unwrap();
            }
            let before = folder.files();
            let words = folder.refusal::<E>().unwrap().to_string();
            assert!(words.contains(&logs[damaged].0.display().to_string()), "the damaged log is not named: {words}");
            assert!(words.contains("the log is damaged"), "{words}");
            assert!(folder.files() == before, "shard {damaged} was refused, and files changed");
        }
    }
}

/// The engine refuses the log, names this frame as the first that can't be read, and changes nothing.
fn refuses<E: Engine>(folder: &Folder, frame: Frame, bytes: &[u8]) -> Result<(), String> {
    folder.put_log(bytes);
    damaged::<E>(folder, frame.start as u64, frame.before as u64, bytes)
}
