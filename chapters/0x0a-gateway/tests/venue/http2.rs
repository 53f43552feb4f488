//! HTTP/2, if the venue offers it: the same answers, the same limits, and no way to cause much work with few bytes.

use std::collections::{BTreeSet, VecDeque};
use std::convert::Infallible;
use std::future::Future;
use std::io::Read as _;
use std::net::{SocketAddr, TcpStream};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use crate::rounds;
use crate::support::honest::{GROWTH_KIB_MAX, beside_an_honest_client, order, resident_kib, venue, venue_with};
use gateway::http::sizes::BODY_BYTES_MAX;
use hyper::body::{Body, Bytes, Frame};
use hyper::{Method, Request};
use hyper_util::rt::{TokioExecutor, TokioIo};
use load::client::{ClientError, Http, Stream};
use serde_json::{Value, json};

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

async fn place(mut http: Http, key: String) -> Result<Value, ClientError> {
    http.json(Method::POST, "/v1/orders", &key, &order(30)).await
}

#[test]
fn concurrent_requests_over_one_connection_each_get_their_answer() {
    const ORDERS: usize = 300;
    let venue = venue_with(&["--http2", "--orders-per-second", "0"]);
    run(async {
        let shared = Http::connect_two(venue.server.address).await.unwrap();
        let asked = (0..ORDERS).map(|_| tokio::spawn(place(shared.another().unwrap(), venue.keys[1].clone())));
        let mut orders = BTreeSet::new();
        for answer in asked.collect::<Vec<_>>() {
            let placed = answer.await.unwrap().unwrap();
            assert_eq!(placed["status"], "resting", "{placed}");
            orders.insert(placed["order"].as_u64().unwrap());
        }
        assert_eq!(orders.len(), ORDERS, "each has its own number");
        // Refusals and keys work as over HTTP/1.1.
        let mut another = shared.another().unwrap();
        let (status, body) = another.ask(Method::GET, "/v1/account", "nnc_wrong", Bytes::new()).await.unwrap();
        assert_eq!(status, 401, "{}", String::from_utf8_lossy(&body));
        let (status, _) = another.ask(Method::GET, &"/".repeat(3_000), "", Bytes::new()).await.unwrap();
        assert_eq!(status, 414);
        // The same port accepts WebSocket and HTTP/1.1.
        let mut stream = Stream::connect(venue.server.address, "/v1/stream").await.unwrap();
        stream.say(json!({ "id": 1, "do": "login", "key": venue.keys[1] }).to_string()).await.unwrap();
        assert!(stream.hear().await.unwrap().is_some_and(|text| text.contains("hello")));
    });
    assert_eq!(venue.server.client().get("/healthz").unwrap().status, 200);
}

/// A body in pieces. Its length is not known before its end, so it is not announced.
struct Pieces(VecDeque<Bytes>);

impl Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.pop_front().map(|piece| Ok(Frame::data(piece))))
    }
}

/// Sends an order behind so many spaces, and returns the status.
async fn place_in_pieces(address: SocketAddr, key: &str, spaces: usize) -> u16 {
    let stream = TokioIo::new(tokio::net::TcpStream::connect(address).await.unwrap());
    let (mut sender, connection) = hyper::client::conn::http2::handshake(TokioExecutor::new(), stream).await.unwrap();
    tokio::spawn(connection);
    let text = format!("{}{}", " ".repeat(spaces), order(30)).into_bytes();
    let pieces = Pieces(text.chunks(16 * 1024).map(Bytes::copy_from_slice).collect());
    let request = Request::post(format!("http://{address}/v1/orders")).header("authorization", format!("Bearer {key}"));
    sender.send_request(request.body(pieces).unwrap()).await.unwrap().status().as_u16()
}

#[test]
fn a_body_that_is_not_announced_has_the_same_limit() {
    let venue = venue_with(&["--http2"]);
    run(async {
        let place = |spaces| place_in_pieces(venue.server.address, &venue.keys[1], spaces);
        assert_eq!(place(BODY_BYTES_MAX / 2).await, 200);
        assert_eq!(place(BODY_BYTES_MAX).await, 413);
    });
}

#[test]
fn it_is_off_by_default() {
    let venue = venue();
    run(async {
        let refused = async {
            let mut http = Http::connect_two(venue.server.address).await?;
            http.ask(Method::GET, "/healthz", "", Bytes::new()).await
        };
        assert!(refused.await.is_err());
    });
    assert_eq!(venue.server.client().get("/healthz").unwrap().status, 200);
}

/// Requests that are cancelled before they are answered cost a client a few bytes, and much more work for a server that
/// goes on serving each of them (CVE-2023-44487).
#[test]
fn requests_that_are_cancelled_at_once() {
    let venue = venue_with(&["--http2"]);
    let before = resident_kib(&venue.server);
    let count = rounds().pick(2_000, 50_000);
    let mut connections = 0;
    let served = beside_an_honest_client(&venue, || {
        run(async {
            let mut asked = 0;
            while asked < count {
                // A client that cancels too many requests is disconnected, and reconnects.
                let Ok(shared) = Http::connect_two(venue.server.address).await else { continue };
                connections += 1;
                while asked < count {
                    let mut another = shared.another().unwrap();
                    let asking = another.ask(Method::GET, "/v1/markets", "", Bytes::new());
                    asked += 1;
                    // Long enough to be sent, and usually too short to be answered.
                    let moment = async {
                        for _ in 0..3 {
                            tokio::task::yield_now().await;
                        }
                    };
                    tokio::select! {
                        biased;
                        answer = asking => if answer.is_err() { break },
                        () = moment => {}
                    }
                }
            }
        });
    });
    println!("{count} requests over {connections} connections; meanwhile {served} orders were placed and cancelled");
    if let (Some(before), Some(now)) = (before, resident_kib(&venue.server)) {
        assert!(now < before + GROWTH_KIB_MAX, "{before} KiB, then {now} KiB");
    }
}

#[test]
fn silent_clients_are_disconnected() {
    let venue = venue_with(&["--http2"]);
    // Neither a client that never chooses a version of HTTP, nor one that chooses and then sends no request.
    let starts: [&[u8]; 3] = [b"", b"PRI * HT", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0"];
    let mut silent: Vec<_> = starts
        .iter()
        .map(|start| {
            let mut stream = TcpStream::connect(venue.server.address).unwrap();
            std::io::Write::write_all(&mut stream, start).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
            stream
        })
        .collect();
    for stream in &mut silent {
        // The end of the connection, or a reset: not a minute without data.
        let ended = stream.read_to_end(&mut Vec::new());
        assert!(ended.as_ref().err().is_none_or(|error| error.kind() != std::io::ErrorKind::WouldBlock), "{ended:?}");
    }
    assert_eq!(venue.server.client().get("/healthz").unwrap().status, 200);
}
