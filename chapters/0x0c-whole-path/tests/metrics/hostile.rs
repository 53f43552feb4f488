//! Scrapers that are silent, never read, or don't speak HTTP: the venue goes on trading, and shows its metrics to others.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use program::rounds::Rounds;

use crate::prometheus::get;
use crate::site::metrics;
use crate::support::honest::{beside_an_honest_client, resident_kib, venue};

/// An honest scraper waits no longer than this. Far more than a scrape takes, and less than the venue's patience.
const SOON: Duration = Duration::from_secs(2);

/// How much the program may grow. All that the attackers send is more.
const GROWTH_KIB_MAX: u64 = 64 << 10;

fn is_served_soon(address: SocketAddr) {
    let began = Instant::now();
    let (head, body) = get(address, "/metrics", "").unwrap();
    assert!(head.starts_with("HTTP/1.0 200") && body.contains("\nvenue_commands_total "), "{head}\n{body}");
    assert!(began.elapsed() < SOON, "an honest scraper waited for {:?}", began.elapsed());
}

#[test]
fn a_thousand_scrapers_that_say_nothing_or_read_nothing() {
    let venue = venue();
    let (address, before) = (metrics(&venue.server), resident_kib(&venue.server));
    let starts: [&[u8]; 5] = [
        b"",
        b"GET /metr",
        b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n",
        b"POST /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\nx",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ];
    let count = Rounds::asked().pick(500, 1_000);
    let served = beside_an_honest_client(&venue, || {
        let mut held = Vec::new();
        for start in starts.iter().cycle().take(count) {
            let mut stream = TcpStream::connect(address).unwrap();
            // What is no HTTP may be closed before it is all written.
            let _ = stream.write_all(start);
            held.push(stream);
        }
        (0..5).for_each(|_| is_served_soon(address));
        // The first was silent, and is cut off.
        held[0].set_read_timeout(Some(SOON)).unwrap();
        let end = held[0].read(&mut [0]).map_err(|error| error.kind());
        assert!(matches!(end, Ok(0) | Err(ErrorKind::ConnectionReset)), "{end:?}");
        if let (Some(before), Some(now)) = (before, resident_kib(&venue.server)) {
            println!("{count} scrapers: {before} KiB, then {now} KiB");
            assert!(now < before + GROWTH_KIB_MAX, "{before} KiB, then {now} KiB");
        }
    });
    println!("meanwhile an honest client placed and cancelled {served} orders");
}

#[test]
fn a_head_of_a_megabyte() {
    let venue = venue();
    let (address, before) = (metrics(&venue.server), resident_kib(&venue.server));
    let head = format!("GET /metrics HTTP/1.1\r\nHost: a\r\nX-Long: {}\r\n\r\n", "x".repeat(1 << 20));
    let served = beside_an_honest_client(&venue, || {
        let attacks: Vec<_> = (0..100)
            .map(|_| {
                let mut stream = TcpStream::connect(address).unwrap();
                stream.set_write_timeout(Some(SOON)).unwrap();
                let _ = stream.write_all(head.as_bytes());
                stream
            })
            .collect();
        is_served_soon(address);
        for mut stream in attacks {
            stream.set_read_timeout(Some(SOON)).unwrap();
            let mut answer = Vec::new();
            let _ = stream.read_to_end(&mut answer);
            assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 431"), "{}", String::from_utf8_lossy(&answer));
        }
        if let (Some(before), Some(now)) = (before, resident_kib(&venue.server)) {
            assert!(now < before + GROWTH_KIB_MAX, "{before} KiB, then {now} KiB");
        }
    });
    println!("meanwhile an honest client placed and cancelled {served} orders");
}
