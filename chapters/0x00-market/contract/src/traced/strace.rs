//! Reading what `strace` wrote: which system calls a program made, with all their bytes, and in which order.
//!
//! `strace` stops a thread while it records its call. So an effect in one thread comes after its cause in another,
//! and a call begins and ends where its lines are.

use std::collections::BTreeMap;

/// How long a text in a trace may be, in bytes: longer than any write of an engine.
pub const TEXT_BYTES_MAX: usize = 4 << 20;

/// The calls that create, change or name files, or wait for them; a question mark where not every machine has
/// them.
pub const CALLS: &str = "?open,openat,?creat,close,write,pwrite64,writev,pwritev,lseek,dup,?dup2,dup3,?rename,\
    ?renameat,renameat2,?mkdir,mkdirat,?unlink,unlinkat,?rmdir,?link,linkat,?symlink,symlinkat,fsync,fdatasync,sync,\
    syncfs,?sync_file_range,truncate,ftruncate,fallocate,copy_file_range,sendfile,msync";

/// One system call that returned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// Such as `openat`.
    pub name: String,
    /// Its arguments.
    pub arguments: Vec<Argument>,
    /// Its result; less than 0 is an error.
    pub result: i64,
    /// The line where it began.
    pub begin: usize,
    /// The line where it returned.
    pub end: usize,
}

/// An argument of a system call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Argument {
    /// Bytes: a path, or what was written.
    Bytes(Vec<u8>),
    /// Anything else, as text.
    Other(String),
}

/// Reads a trace. Calls that never returned are left out.
///
/// # Errors
/// A line that `strace -f -xx` does not write, or a text that was cut off.
pub fn read(trace: &str) -> Result<Vec<Call>, String> {
    let mut begun: BTreeMap<&str, (usize, String)> = BTreeMap::new();
    let mut calls = Vec::new();
    for (at, line) in trace.lines().enumerate() {
        let wrong = |what: &str| format!("line {} of the trace: {what}: {}", at + 1, &line[..line.len().min(200)]);
        let (thread, rest) = line.split_once(' ').ok_or_else(|| wrong("there is no thread"))?;
        let rest = rest.trim_start();
        if rest.starts_with("+++") || rest.starts_with("---") {
            continue;
        }
        let (begin, text) = if let Some(beginning) = rest.strip_suffix("<unfinished ...>") {
            begun.insert(thread, (at, beginning.trim_end().to_string()));
            continue;
        } else if let Some(resumed) = rest.strip_prefix("<... ") {
            let (begin, beginning) = begun.remove(thread).ok_or_else(|| wrong("a call is resumed that never began"))?;
            let (_, ending) = resumed.split_once(" resumed>").ok_or_else(|| wrong("it is not resumed"))?;
            (begin, beginning + ending)
        } else {
            (at, rest.to_string())
        };
        let (call, result) = text.rsplit_once(" = ").ok_or_else(|| wrong("there is no result"))?;
        let result = result.split(' ').next().unwrap_or_default();
        if result == "?" {
            continue;
        }
        let result = result.parse().map_err(|_| wrong("the result is no number"))?;
        let call = call.trim_end().strip_suffix(')').ok_or_else(|| wrong("the call does not end"))?;
        let (name, arguments) = call.split_once('(').ok_or_else(|| wrong("it is not a call"))?;
        let arguments: Result<_, String> = arguments.split(", ").map(argument).collect();
        let arguments = arguments.map_err(|error| wrong(&error))?;
        calls.push(Call { name: name.into(), arguments, result, begin, end: at });
    }
    Ok(calls)
}

/// A text in quotes is bytes, each as `\x` and two digits; with `-xx` nothing else stands in quotes.
fn argument(text: &str) -> Result<Argument, String> {
    let text = text.trim();
    let Some(quoted) = text.strip_prefix('"') else { return Ok(Argument::Other(text.into())) };
    let digits = quoted.strip_suffix('"').ok_or("a text was cut off")?;
    let mut bytes = Vec::with_capacity(digits.len() / 4);
    for byte in digits.as_bytes().chunks(4) {
        let digits = byte.strip_prefix(b"\\x").and_then(|digits| str::from_utf8(digits).ok());
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.ok_or("a byte is not written as `\\x` and two digits")?);
    }
    Ok(Argument::Bytes(bytes))
}

impl Call {
    /// The path or the bytes in argument `at`.
    pub fn bytes(&self, at: usize) -> Result<&[u8], String> {
        match self.arguments.get(at) {
            Some(Argument::Bytes(bytes)) => Ok(bytes),
            _ => Err(format!("argument {at} of {} is not bytes", self.name)),
        }
    }

    /// The text in argument `at`, such as flags.
    pub fn text(&self, at: usize) -> &str {
        match self.arguments.get(at) {
            Some(Argument::Other(text)) => text,
            _ => "",
        }
    }

    /// The number in argument `at`.
    pub fn number(&self, at: usize) -> Result<u64, String> {
        self.text(at).parse().map_err(|_| format!("argument {at} of {} is not a number", self.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_read_with_their_bytes() {
        let trace = "7  openat(AT_FDCWD, \"\\x2f\\x61\", O_RDWR|O_CREAT, 0666) = 3\n\
                     7  pwrite64(3, \"\\x00\\xff\", 2, 24 <unfinished ...>\n\
                     8  fsync(4)             = -1 EIO (Input/output error)\n\
                     7  <... pwrite64 resumed>)           = 2\n\
                     8  exit_group(0)        = ?\n\
                     7  +++ exited with 0 +++\n";
        let calls = read(trace).unwrap();
        assert_eq!(calls.len(), 3);
        assert_eq!((calls[0].bytes(1).unwrap(), calls[0].text(2)), (&b"/a"[..], "O_RDWR|O_CREAT"));
        assert_eq!((calls[1].name.as_str(), calls[1].result), ("fsync", -1));
        assert_eq!((calls[2].begin, calls[2].end, calls[2].bytes(1).unwrap()), (1, 3, &[0, 255][..]));
        assert_eq!(calls[2].number(3), Ok(24));
    }

    #[test]
    fn what_is_no_trace_is_refused() {
        for line in
            ["", "7", "7 write(1, \"\\x61\"..., 1) = 1", "7 write(1, \"a\", 1) = 1", "7 fsync(1) = x", "7 x = 1"]
        {
            assert!(read(&format!("{line}\n")).is_err(), "{line}");
        }
    }
}
