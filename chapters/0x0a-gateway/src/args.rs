//! What can be asked on the command line.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::path::PathBuf;

use market_data::engines::Rung;

/// A venue: an engine, its feed, and a door for browsers and programs
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// The engine behind the door
    #[arg(long, value_name = "CHAPTER", value_enum, default_value = "0x08")]
    pub engine: Rung,
    /// How many shards the engine has; 0x07 and 0x08 can have several
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub shards: u16,
    /// How many commands lie between two snapshots of a shard, for engine 0x08
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub snapshot_every: u64,
    /// Keep log and names in this folder: run again and it recovers [default: a fresh folder, removed at the end]
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// Where to listen, as in 127.0.0.1:8099 or localhost:8099; port 0 takes any that is free
    #[arg(long, value_name = "ADDRESS", default_value_t = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0), value_parser = address)]
    pub listen: SocketAddr,
    /// The certificates to speak TLS with, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_certificate: Option<PathBuf>,
    /// The private key of the first certificate, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub tls_key: Option<PathBuf>,
    /// Speak HTTP/2 as well, with who asks for it; WebSockets need HTTP/1.1
    #[arg(long)]
    pub http2: bool,
    /// A proxy before it speaks TLS, and says in X-Forwarded-For who asks
    #[arg(long, conflicts_with = "tls_certificate")]
    pub behind_proxy: bool,
    /// Let a room in without TLS, for play money only; accounts have short codes then
    #[arg(long, conflicts_with_all = ["tls_certificate", "behind_proxy"])]
    pub classroom: bool,
    /// How many connections there may be, and never more than the system has open files for
    #[arg(long, value_name = "N", default_value_t = 16_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub connections: u32,
    /// How many of them an address may have; this machine's own may have all
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub connections_per_address: u32,
    /// How many WebSocket connections an account may have; 0 is any number
    #[arg(long, value_name = "N", default_value_t = 32)]
    pub connections_per_account: u32,
    /// How many orders and cancellations an account may send a second; 0 is any number
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    pub orders_per_second: u32,
    /// How many accounts an address may make a minute; 0 is any number, and so may this machine's own
    #[arg(long, value_name = "N", default_value_t = 60)]
    pub accounts_per_minute: u32,
    /// How many times a second a book that changes is sent to those who watch it
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub updates_per_second: u32,
    /// How much play money an account gets in each market, in cents
    #[arg(long, value_name = "CENTS", default_value_t = 100_000)]
    pub play_money: u64,
    /// Open no markets at the first start, and start no bots
    #[arg(long)]
    pub no_demo: bool,
    /// How many bots trade, over connections of their own; none with --no-demo
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(0..=1_000))]
    pub bots: u32,
    /// Answer at /v1/echo with what is said there, to measure beside it
    #[arg(long, hide = true)]
    pub echo: bool,
    /// Make the operator another key, and show it; the one before is worth nothing then
    #[arg(long)]
    pub new_operator_key: bool,
}

/// The address that a name or a number stands for. Of several, the first of IPv4, which every client can reach.
fn address(text: &str) -> Result<SocketAddr, String> {
    let Some((_, port)) = text.rsplit_once(':') else {
        return Err("a port is missing, as in 127.0.0.1:8099".into());
    };
    port.parse::<u16>().map_err(|_| format!("{port:?} is no port: it is a number up to 65535"))?;
    let found = text.to_socket_addrs().map_err(|error| format!("this name can't be looked up: {error}"))?;
    let found = found.min_by_key(SocketAddr::is_ipv6);
    found.ok_or_else(|| "this name stands for no address".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_be_a_name() {
        for (text, expected) in
            [("127.0.0.1:8099", "127.0.0.1:8099"), ("[::1]:0", "[::1]:0"), ("0.0.0.0:1", "0.0.0.0:1")]
        {
            assert_eq!(address(text), Ok(expected.parse().expect("an address")));
        }
        assert!(address("localhost:8099").is_ok_and(|address| address.ip().is_loopback() && address.port() == 8099));
        for wrong in
            ["", "localhost", "8099", "localhost:", "localhost:http", "localhost:65536", "no.such.name.invalid:1"]
        {
            assert!(address(wrong).is_err(), "{wrong}");
        }
    }
}
