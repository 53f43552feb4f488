//! How to ask for durability: `fdatasync`, `O_DSYNC`, and a file that already has its length.
//!
//! **Expected:** a file that grows has its length written too, so space reserved in advance saves a write; and
//! `O_DSYNC` saves a system call.
//!
//! **Compared:** 4 KiB appended and made durable, repeatedly: by a write and `fdatasync`, or by a write to a file
//! that was opened with `O_DSYNC`; with a file that grows, or one that was filled with zeros and synced before.
//!
//! **Left out:** `io_uring` and `O_DIRECT`, see [`LeftOut`]; and batches, which gain more than all of these (0x03).

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use results::error::MeasureError;

use crate::error::LabError;
use crate::experiment::{Case, Experiment, LeftOut, Prepared, Sample, Setting, timed};
use crate::words::words;

/// See the module.
pub const EXPERIMENT: Experiment = Experiment {
    name: "disk_sync",
    title: (
        "Is there a faster way to make 4 KiB durable than a write and fdatasync?",
        "让 4 KiB 持久化，有比 write 加 fdatasync 更快的办法吗？",
    ),
    per: ("4 KiB on disk", "每 4 KiB 落盘"),
    on_request: false,
    prepare,
};

const BLOCK: usize = 4_096;

/// How a write becomes durable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Fdatasync,
    #[cfg(target_os = "linux")]
    Dsync,
}

// ANCHOR: open
fn open(path: &Path, by: By) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true);
    match by {
        By::Fdatasync => {}
        #[cfg(target_os = "linux")]
        By::Dsync => {
            use std::os::unix::fs::OpenOptionsExt;
            options.custom_flags(libc::O_DSYNC);
        }
    }
    options.open(path)
}
// ANCHOR_END: open

fn append(dir: &Path, blocks: usize, by: By, made_room: bool) -> Result<Sample, LabError> {
    let path = dir.join("disk_sync.log");
    let append = || -> std::io::Result<(Sample, Vec<u8>)> {
        let mut room = File::create(&path)?;
        if made_room {
            room.write_all(&vec![0; blocks * BLOCK])?;
        }
        room.sync_all()?;
        let mut file = open(&path, by)?;
        let mut failed = Ok(());
        let sample = timed(blocks, || {
            for n in 0..blocks {
                let written = file.write_all(&[n as u8; BLOCK]);
                let synced = if by == By::Fdatasync { file.sync_data() } else { Ok(()) };
                failed = std::mem::replace(&mut failed, Ok(())).and(written).and(synced);
            }
            0
        });
        failed?;
        Ok((sample, fs::read(&path)?))
    };
    let (sample, bytes) = append().map_err(|error| MeasureError::disk("write to", &path, &error))?;
    let weighed = bytes.iter().zip(1_u64..).map(|(&byte, place)| u64::from(byte) * place);
    Ok(Sample { answer: weighed.fold(bytes.len() as u64, u64::wrapping_add), ..sample })
}

fn prepare(setting: &Setting) -> Result<Prepared, LabError> {
    let blocks = setting.size.of(100).max(3);
    let dir = &setting.data_dir;
    let run = |by, made_room| {
        let dir: PathBuf = dir.clone();
        move || append(&dir, blocks, by, made_room)
    };
    let case = Case::new("appends", words("4 KiB appended", "追加 4 KiB"))
        .with("grow_fdatasync", words("fdatasync, the file grows", "fdatasync，文件变长"), run(By::Fdatasync, false))
        .with("room_fdatasync", words("fdatasync, room made before", "fdatasync，预先分配"), run(By::Fdatasync, true));
    #[cfg(target_os = "linux")]
    let case = case
        .with("grow_dsync", words("O_DSYNC, the file grows", "O_DSYNC，文件变长"), run(By::Dsync, false))
        .with("room_dsync", words("O_DSYNC, room made before", "O_DSYNC，预先分配"), run(By::Dsync, true));
    Ok(Prepared { cases: vec![case], left_out: left_out() })
}

fn left_out() -> Vec<LeftOut> {
    let mut left_out = vec![LeftOut {
        name: "io_uring",
        reason: words(
            "handing a buffer to the kernel takes unsafe code, which the lab forbids; the crates that hide it bring \
             a runtime along, and that would be measured too",
            "把缓冲区交给内核要写 unsafe 代码，而实验室不许写；替你藏起 unsafe 的库又带着整套运行时，测出来的就不只是它了",
        ),
    }];
    if !cfg!(target_os = "linux") {
        let reason = words("its flag is taken from Linux alone here", "此处只用 Linux 的标志");
        left_out.push(LeftOut { name: "o_dsync", reason });
    }
    left_out
}
