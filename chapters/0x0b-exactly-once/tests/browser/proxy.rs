//! A proxy that loses answers: from a moment on, requests still arrive and answers do not.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

pub struct Proxy {
    pub address: SocketAddr,
    loses: Arc<AtomicBool>,
    open: Arc<Mutex<Vec<TcpStream>>>,
}

impl Proxy {
    /// Listens until the process ends.
    pub fn start(server: SocketAddr) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (loses, open) = (Arc::<AtomicBool>::default(), Arc::<Mutex<Vec<TcpStream>>>::default());
        let proxy = Proxy { address, loses: Arc::clone(&loses), open: Arc::clone(&open) };
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = TcpStream::connect(server) else { continue };
                let copy = |stream: &TcpStream| stream.try_clone().unwrap();
                open.lock().unwrap().push(copy(&client));
                let (from_client, to_server, loses) = (copy(&client), copy(&server), Arc::clone(&loses));
                thread::spawn(move || forward(from_client, to_server, &AtomicBool::new(false)));
                thread::spawn(move || forward(server, client, &loses));
            }
        });
        proxy
    }

    /// Whether answers are lost from now on.
    pub fn lose_answers(&self, loses: bool) {
        self.loses.store(loses, Ordering::SeqCst);
    }

    /// Cuts all connections.
    pub fn cut(&self) {
        for stream in self.open.lock().unwrap().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

/// Forwards one direction until it ends.
fn forward(mut from: TcpStream, mut to: TcpStream, loses: &AtomicBool) {
    let mut bytes = [0; 4_096];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        if !loses.load(Ordering::SeqCst) && to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}
