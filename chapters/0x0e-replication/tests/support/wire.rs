//! Wires between a machine and the servers, which can be cut: in one direction, or in both. What was sent meanwhile arrives when
//! they are mended, as it does when a network repeats what was lost.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// All wires of a machine.
pub struct Wires {
    to_servers: Arc<AtomicBool>,
    to_machine: Arc<AtomicBool>,
    addresses: Vec<String>,
}

impl Wires {
    /// Wires to these servers, which forward until the process ends.
    pub fn to(servers: &[String]) -> Wires {
        let (to_servers, to_machine) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
        let wire = |server: &String| {
            let server: SocketAddr = server.trim_start_matches("nats://").parse().unwrap();
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let address = listener.local_addr().unwrap();
            let (up, down) = (Arc::clone(&to_servers), Arc::clone(&to_machine));
            thread::spawn(move || {
                for client in listener.incoming().map_while(Result::ok) {
                    let Ok(server) = TcpStream::connect(server) else { continue };
                    let _ = (client.set_nodelay(true), server.set_nodelay(true));
                    let (from_client, to_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                    let (up, down) = (Arc::clone(&up), Arc::clone(&down));
                    thread::spawn(move || forward(from_client, to_server, &up));
                    thread::spawn(move || forward(server, client, &down));
                }
            });
            format!("nats://{address}")
        };
        let addresses = servers.iter().map(wire).collect();
        Wires { to_servers, to_machine, addresses }
    }

    /// The addresses for `--replicas`.
    pub fn addresses(&self) -> &[String] {
        &self.addresses
    }

    /// From now on, nothing arrives in these directions.
    pub fn cut(&self, to_servers: bool, to_machine: bool) {
        self.to_servers.store(to_servers, Ordering::Relaxed);
        self.to_machine.store(to_machine, Ordering::Relaxed);
    }

    /// From now on, everything arrives.
    pub fn mend(&self) {
        self.cut(false, false);
    }
}

fn forward(mut from: TcpStream, mut to: TcpStream, is_cut: &AtomicBool) {
    let mut bytes = vec![0; 1 << 16];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        while is_cut.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(2));
        }
        if to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}
