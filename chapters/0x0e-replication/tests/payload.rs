//! Servers that take messages of different lengths.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on stops")]
#![allow(clippy::print_stdout, reason = "what was seen is for those who run it")]
#![cfg(unix)]

mod support;

use std::fs;
use std::net::TcpStream;
use std::time::Duration;

use axum::body::Bytes;
use replication::link::Link;
use replication::reach::ReachArgs;
use replication::stream::Stream;
use support::{servers, wait_until};

/// A server that is added later may have NATS's own settings.
#[test]
fn a_message_that_is_too_long_for_one_server_is_appended_through_another() {
    let Some((folder, mut servers)) = servers() else { return };
    let file = folder.path().join("server-0.conf");
    let settings = fs::read_to_string(&file).unwrap().replace("max_payload: 8MB", "max_payload: 1MB");
    fs::write(&file, settings).unwrap();
    servers.kill(0);
    servers.start_one(0).unwrap();
    // The library chooses a server at random: first one that takes the message, and then the one that does not.
    let addresses = servers.addresses();
    wait_until("it does not answer", || TcpStream::connect(addresses[0].trim_start_matches("nats://")).is_ok());
    let mut links = (0..100).map(|_| Link::connect(&ReachArgs::plain(addresses.clone())));
    let link = links.find_map(Result::ok).unwrap();
    let stream = Stream::open(&link, "long-0").unwrap();
    let (client, long) = (link.client().clone(), Bytes::from(vec![b'x'; 2 << 20]));
    let is_too_long = move || client.server_info().max_payload < 2 << 20;
    let client = link.client().clone();
    let appended = link.wait(async move {
        for _ in 0..100 {
            client.force_reconnect().await.unwrap();
            tokio::time::sleep(Duration::from_millis(200)).await;
            if is_too_long() {
                let appended = tokio::time::timeout(Duration::from_secs(30), stream.append(0, &long)).await;
                return Some((appended, is_too_long()));
            }
        }
        None
    });
    assert!(matches!(appended, Some((Ok(Ok(())), false))), "{appended:?}");
}
