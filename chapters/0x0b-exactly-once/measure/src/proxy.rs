//! A proxy on the loopback interface that cuts connections at any byte, and delays what it forwards. What was on its way when
//! a connection was cut may still arrive at the server later: after the client has sent it again.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use contract::streams::Random;

struct Shared {
    server: Mutex<SocketAddr>,
    random: Mutex<Random>,
    is_calm: AtomicBool,
    cuts: AtomicUsize,
    under_way: AtomicUsize,
}

pub struct Proxy {
    pub address: SocketAddr,
    shared: Arc<Shared>,
}

impl Proxy {
    /// Listens until the process ends.
    ///
    /// # Errors
    /// When the system gives no port.
    pub fn start(server: SocketAddr, seed: u64) -> std::io::Result<Proxy> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            server: Mutex::new(server),
            random: Mutex::new(Random::new(seed)),
            is_calm: AtomicBool::new(false),
            cuts: AtomicUsize::new(0),
            under_way: AtomicUsize::new(0),
        });
        let own = Arc::clone(&shared);
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let shared = Arc::clone(&own);
                let server = *locked(&shared.server);
                let Ok(server) = TcpStream::connect(server) else { continue };
                let _ = (client.set_nodelay(true), server.set_nodelay(true));
                let (Ok(from_client), Ok(to_server)) = (client.try_clone(), server.try_clone()) else { continue };
                let other = Arc::clone(&shared);
                thread::spawn(move || forward(&shared, from_client, to_server, true));
                thread::spawn(move || forward(&other, server, client, false));
            }
        });
        Ok(Proxy { address, shared })
    }

    /// New connections go there.
    pub fn turn_to(&self, server: SocketAddr) {
        *locked(&self.shared.server) = server;
    }

    /// From now on nothing is cut or delayed; returns when what was delayed has gone.
    pub fn calm(&self) {
        self.shared.is_calm.store(true, Ordering::SeqCst);
        while self.shared.under_way.load(Ordering::SeqCst) > 0 {
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// How many connections it has cut.
    pub fn cuts(&self) -> usize {
        self.shared.cuts.load(Ordering::Relaxed)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Forwards one direction until it ends or is cut.
fn forward(shared: &Shared, mut from: TcpStream, mut to: TcpStream, is_request: bool) {
    let mut bytes = [0; 4_096];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        shared.under_way.fetch_add(1, Ordering::SeqCst);
        let (fate, at, delay) = {
            let mut random = locked(&shared.random);
            (random.below(24), random.below(count as u64 + 1) as usize, Duration::from_micros(random.below(30_000)))
        };
        let is_calm = shared.is_calm.load(Ordering::SeqCst);
        let goes_on = match fate {
            // The rest never arrives.
            0 if !is_calm => {
                let _ = to.write_all(&bytes[..at]);
                false
            }
            // The client learns that the connection broke, and what it sent arrives later all the same.
            1 if !is_calm && is_request => {
                let _ = from.shutdown(Shutdown::Both);
                thread::sleep(delay * 4);
                let _ = to.write_all(&bytes[..count]);
                false
            }
            2..5 if !is_calm => {
                thread::sleep(delay);
                to.write_all(&bytes[..count]).is_ok()
            }
            _ => to.write_all(&bytes[..count]).is_ok(),
        };
        if !goes_on {
            shared.cuts.fetch_add(1, Ordering::Relaxed);
            let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
        }
        shared.under_way.fetch_sub(1, Ordering::SeqCst);
        if !goes_on {
            return;
        }
    }
    let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}
