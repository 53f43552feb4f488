//! Shows the built site on this machine only, and builds it again when a source changes.
//!
//! A reader writes a page and looks at it: one connection at a time is enough, and polling modification times
//! works the same on every system.

use crate::problem::Failure;
use crate::project::Project;
use crate::site;
use program::{Unprinted, print, tell};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

const POLL: Duration = Duration::from_millis(700);
const READ_LIMIT: Duration = Duration::from_secs(5);

/// A change in any of these means a new build. `output` itself holds runs that are still being written; its records
/// are enough.
const WATCHED: [&str; 5] = ["book.toml", "book", "chapters", "output/reference", "output/ladder.json"];

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
    for stream in listener.incoming().flatten() {
        // A browser that disconnects early is not our problem.
        let _ = answer(stream, dist);
    }
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
    let mut queue: Vec<PathBuf> = WATCHED.iter().map(|name| project.path(name)).collect();
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
    stream.set_read_timeout(Some(READ_LIMIT))?;
    let mut request = String::new();
    let mut lines = BufReader::new(&stream);
    lines.read_line(&mut request)?;
    let mut header = String::from("-");
    while !header.trim().is_empty() {
        header.clear();
        lines.read_line(&mut header)?;
    }
    let target = request.split(' ').nth(1).unwrap_or("/");
    let (status, kind, body) = match file(dist, target).and_then(|path| Some((fs::read(&path).ok()?, path))) {
        Some((body, path)) => ("200 OK", kind(&path), body),
        None => match missing(dist, target) {
            Some(body) => ("404 Not Found", "text/html; charset=utf-8", body),
            None => ("404 Not Found", "text/plain; charset=utf-8", b"not found\n".to_vec()),
        },
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n",
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
    use super::*;

    #[test]
    fn a_request_stays_inside_the_site() {
        let dist = Path::new("dist");
        assert_eq!(file(dist, "/en/a%20b.html?x#y"), Some(dist.join("en/a b.html")));
        assert_eq!(file(dist, "/../Cargo.toml"), None);
        assert_eq!(file(dist, "/%2e%2e/Cargo.toml"), None);
        assert_eq!(file(dist, "//etc/passwd"), Some(dist.join("etc/passwd")));
    }
}
