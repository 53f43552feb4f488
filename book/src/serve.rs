//! Shows the built site on this machine only, and builds it again when a source changes.
//!
//! Polling modification times works the same on every system. A browser opens connections ahead of need, and may leave one
//! idle or stop reading, so several threads answer, and none of them waits for long.

use crate::problem::Failure;
use crate::project::Project;
use crate::site;
use program::{Unprinted, print, tell};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

const POLL: Duration = Duration::from_millis(700);

/// How long a connection may be silent, or take no bytes.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long a request may be, in bytes, with its headers.
const REQUEST_MAX: u64 = 16 << 10;

/// How many connections are answered at a time. A browser keeps six to one host.
const THREADS: usize = 32;

/// A change in any of these means a new build, and so does one of the reader's own records, directly in `output`. The rest of
/// `output` belongs to runs that are still being written.
const WATCHED: [&str; 6] = ["book.toml", "book", "chapters", "perf", "output/reference", "output/community"];

/// Serves `dist` on 127.0.0.1 until the process ends; `port` 0 chooses a free one.
pub fn serve(project: &Project, port: u16) -> Result<(), Failure> {
    let dist = project.dist();
    report(site::build(project, &dist))?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
        .map_err(|e| Failure::Usage(format!("port {port} cannot be used: {e}; try --port 0")))?;
    let address = listener.local_addr().map_err(|e| Failure::Usage(e.to_string()))?;
    print(format_args!("http://{address}/  (Ctrl-C ends it; a changed source is built again)\n"))?;
    let files = dist.clone();
    thread::spawn(move || answer_all(&listener, &files));
    let mut seen = newest(project);
    loop {
        thread::sleep(POLL);
        let now = newest(project);
        if now != seen {
            seen = now;
            report(site::build(project, &dist))?;
        }
    }
}

/// Answers every request with a file of `dist`, for as long as the process lives.
pub fn answer_all(listener: &TcpListener, dist: &Path) {
    let answer_next = || {
        for stream in listener.incoming().flatten() {
            // A browser that disconnects early is not our problem.
            let _ = answer(stream, dist);
        }
    };
    thread::scope(|threads| {
        for _ in 0..THREADS {
            threads.spawn(answer_next);
        }
    });
}

/// Prints the result of a build. A failed one does not end the server, because its source is about to
/// be fixed.
fn report(built: Result<(), Failure>) -> Result<(), Unprinted> {
    match built {
        Ok(()) => return print(format_args!("built\n")),
        Err(failure) => tell(format_args!("error: {failure}")),
    }
    Ok(())
}

/// The newest modification and the number of files watched; either changes when a source does.
fn newest(project: &Project) -> (Option<SystemTime>, usize) {
    let mut newest = None;
    let mut count = 0;
    let own = fs::read_dir(project.own_output()).into_iter().flatten().flatten().map(|entry| entry.path());
    let records = own.filter(|path| path.extension().is_some_and(|kind| kind == "json"));
    let mut queue: Vec<PathBuf> = WATCHED.iter().map(|name| project.path(name)).chain(records).collect();
    let skipped = [project.dist(), project.path("book/browser/node_modules")];
    while let Some(path) = queue.pop() {
        let Ok(data) = fs::metadata(&path) else { continue };
        if skipped.contains(&path) || path.file_name().is_some_and(|name| name == "target") {
            continue;
        }
        if data.is_dir() {
            queue.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
        } else {
            count += 1;
            newest = newest.max(data.modified().ok());
        }
    }
    (newest, count)
}

/// Answers one request with a file of `dist`. For a missing file the answer is the nearest `404.html` above it, as
/// static hosts do.
///
/// # Errors
/// When the connection breaks.
pub fn answer(mut stream: TcpStream, dist: &Path) -> std::io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut request = String::new();
    let mut lines = BufReader::new((&stream).take(REQUEST_MAX));
    lines.read_line(&mut request)?;
    let mut header = String::from("-");
    while !header.trim().is_empty() {
        header.clear();
        lines.read_line(&mut header)?;
    }
    let target = request.split(' ').nth(1).unwrap_or("/");
    let content = |kind| format!("Content-Type: {kind}");
    let (status, header, body) = match (folder(dist, target), found(dist, target)) {
        (Some(folder), _) => ("301 Moved Permanently", format!("Location: {folder}"), vec![]),
        (None, Some((path, body))) => ("200 OK", content(kind(&path)), body),
        (None, None) => match missing(dist, target) {
            Some(body) => ("404 Not Found", content("text/html; charset=utf-8"), body),
            None => ("404 Not Found", content("text/plain; charset=utf-8"), b"not found\n".to_vec()),
        },
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\n{header}\r\nContent-Length: {}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    if request.starts_with("HEAD") { Ok(()) } else { stream.write_all(&body) }
}

/// The file a request means, never one outside `dist`.
fn file(dist: &Path, target: &str) -> Option<PathBuf> {
    let path = target.split(['?', '#']).next()?.trim_start_matches('/');
    let relative = PathBuf::from(decode(path)?);
    let inside = relative.components().all(|part| matches!(part, Component::Normal(_)));
    let path = dist.join(&relative);
    inside.then(|| if path.is_dir() { path.join("index.html") } else { path })
}

/// That file, if it is there, and its bytes.
fn found(dist: &Path, target: &str) -> Option<(PathBuf, Vec<u8>)> {
    let path = file(dist, target)?;
    fs::read(&path).ok().map(|body| (path, body))
}

/// Where a request for a folder without a slash at its end is sent, as static hosts do: the links of the folder's page are
/// relative to the folder.
fn folder(dist: &Path, target: &str) -> Option<String> {
    let path = target.split(['?', '#']).next()?.trim_start_matches('/');
    let is_bare = !path.is_empty() && !path.ends_with('/');
    (is_bare && file(dist, path)?.parent()? == dist.join(decode(path)?)).then(|| format!("/{path}/"))
}

/// The page for a missing file.
fn missing(dist: &Path, target: &str) -> Option<Vec<u8>> {
    let path = file(dist, target)?;
    let folders = path.ancestors().skip(1).take_while(|folder| folder.starts_with(dist));
    folders.map(|folder| folder.join("404.html")).find_map(|page| fs::read(page).ok())
}

/// Percent-decoding.
fn decode(text: &str) -> Option<String> {
    let mut out = vec![];
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'%' => {
                let pair = [bytes.next()?, bytes.next()?];
                u8::from_str_radix(std::str::from_utf8(&pair).ok()?, 16).ok()?
            }
            other => other,
        });
    }
    String::from_utf8(out).ok()
}

fn kind(path: &Path) -> &'static str {
    match path.extension().and_then(|e| e.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("xml") => "application/xml",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use std::io::ErrorKind;
    use std::net::SocketAddr;

    use super::*;

    #[test]
    fn a_request_stays_inside_the_site() {
        let dist = Path::new("dist");
        assert_eq!(file(dist, "/en/a%20b.html?x#y"), Some(dist.join("en/a b.html")));
        assert_eq!(file(dist, "/../Cargo.toml"), None);
        assert_eq!(file(dist, "/%2e%2e/Cargo.toml"), None);
        assert_eq!(file(dist, "//etc/passwd"), Some(dist.join("etc/passwd")));
    }

    /// Serves a small site, and returns its address.
    fn served() -> SocketAddr {
        let site = tempfile::tempdir().expect("a folder").keep();
        fs::create_dir(site.join("en")).expect("made");
        for (name, text) in [("index.html", "the start"), ("en/index.html", "the book")] {
            fs::write(site.join(name), text).expect("written");
        }
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let address = listener.local_addr().expect("an address");
        thread::spawn(move || answer_all(&listener, &site));
        address
    }

    /// A connection that fails rather than hang.
    fn connect(address: SocketAddr) -> TcpStream {
        let stream = TcpStream::connect(address).expect("connected");
        stream.set_read_timeout(Some(Duration::from_secs(120))).expect("set");
        stream
    }

    fn get(address: SocketAddr, target: &str) -> String {
        let mut stream = connect(address);
        write!(stream, "GET {target} HTTP/1.1\r\nHost: here\r\n\r\n").expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    }

    #[test]
    fn connections_without_a_request_hold_up_no_other() {
        let address = served();
        let idle = [(); 6].map(|()| connect(address));
        assert!(get(address, "/").ends_with("the start"));
        for stream in idle {
            stream.set_nonblocking(true).expect("set");
            let open = stream.peek(&mut [0]).map_err(|error| error.kind());
            assert_eq!(open, Err(ErrorKind::WouldBlock), "the answer came when an idle connection had ended");
        }
    }

    #[test]
    fn a_request_without_an_end_is_not_kept() {
        let mut stream = connect(served());
        let line = vec![b'a'; REQUEST_MAX as usize];
        stream.write_all(&line).expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer, before the line has ended");
        assert!(answer.starts_with("HTTP/1.1 "), "{answer}");
    }

    #[test]
    fn a_folder_is_where_its_links_begin() {
        let address = served();
        for target in ["/en", "//en?x", "/%65n"] {
            let answer = get(address, target);
            let sent = format!("/{}/", target.trim_matches('/').split('?').next().unwrap_or_default());
            assert!(
                answer.starts_with("HTTP/1.1 301 ") && answer.contains(&format!("Location: {sent}\r\n")),
                "{answer}"
            );
        }
        assert!(get(address, "/en/").ends_with("the book"));
        assert!(get(address, "/en/index.html").ends_with("the book"));
        assert!(get(address, "/zh").starts_with("HTTP/1.1 404 "));
    }

    #[test]
    fn whatever_the_book_shows_is_watched() {
        let folder = tempfile::tempdir().expect("a folder");
        let project = Project::at(folder.path());
        let makes_a_build = |name: &str| {
            let (before, path) = (newest(&project), folder.path().join(name));
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, name).expect("written");
            newest(&project) != before
        };
        for shown in [
            "book/en/preface.md",
            "perf/results/src/pairs.rs",
            "output/reference/feed.json",
            "output/community/mine.json",
            "output/venue.json",
        ] {
            assert!(makes_a_build(shown), "{shown}");
        }
        for other in ["output/0x01/round.json", "output/flame.svg", "perf/target/debug/perf", "book/dist/index.html"] {
            assert!(!makes_a_build(other), "{other}");
        }
    }
}
