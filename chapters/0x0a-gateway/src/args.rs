//! The command line.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::path::PathBuf;

use market_data::engines::Rung;
use program::lines::Form;

/// A venue: an engine, its feed, and a gateway for browsers and programs
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// The engine behind the gateway
    #[arg(long, value_name = "CHAPTER", value_enum, default_value = "0x08")]
    pub engine: Rung,
    /// How many shards the engine has; 0x07 and 0x08 can have several
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub shards: u16,
    /// How many commands lie between two snapshots of a shard, for engine 0x08
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub snapshot_every: u64,
    /// Keep log and names in this folder; the next run recovers from it [default: a temporary folder, removed at the
    /// end]
    #[arg(long, value_name = "DIR")]
    pub data_dir: Option<PathBuf>,
    /// Where to listen, as in 127.0.0.1:8099 or localhost:8099; port 0 picks a free port
    #[arg(long, value_name = "ADDRESS", default_value_t = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0), value_parser = address)]
    pub listen: SocketAddr,
    /// The chain of certificates for TLS, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_certificate: Option<PathBuf>,
    /// The private key of the first certificate, in PEM
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub tls_key: Option<PathBuf>,
    /// Offer HTTP/2 as well; WebSockets need HTTP/1.1
    #[arg(long)]
    pub http2: bool,
    /// A proxy in front terminates TLS, names the client in X-Forwarded-For, and limits the connections of each client
    #[arg(long, conflicts_with = "tls_certificate")]
    pub behind_proxy: bool,
    /// Accept clients in the same network without TLS, for play money only; accounts then have short codes
    #[arg(long, conflicts_with_all = ["tls_certificate", "behind_proxy"])]
    pub classroom: bool,
    /// Maximum number of connections, and never more than the limit of open files allows
    #[arg(long, value_name = "N", default_value_t = 16_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub connections: u32,
    /// Maximum number of connections per address; this machine's own addresses have no limit, and with --behind-proxy
    /// no address has
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub connections_per_address: u32,
    /// Maximum number of WebSocket connections per account; 0 means no limit
    #[arg(long, value_name = "N", default_value_t = 32)]
    pub connections_per_account: u32,
    /// Maximum number of orders and cancellations per account and second, and after a pause twice as many at once; 0
    /// means no limit
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    pub orders_per_second: u32,
    /// Maximum number of new accounts per address and minute, and after a pause twice as many at once, up to 120; 0
    /// means no limit; this machine's own addresses have none
    #[arg(long, value_name = "N", default_value_t = 60)]
    pub accounts_per_minute: u32,
    /// How many times a second a changed book is sent to its watchers
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub updates_per_second: u32,
    /// How much play money an account gets per market, in cents
    #[arg(long, value_name = "CENTS", default_value_t = 100_000)]
    pub play_money: u64,
    /// Open no markets at the first start, and start no bots
    #[arg(long)]
    pub no_demo: bool,
    /// How many bots trade, each over its own connections; none with --no-demo
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(0..=1_000))]
    pub bots: u32,
    /// Answer /v1/echo with whatever is sent to it, as a baseline for measurements
    #[arg(long, hide = true)]
    pub echo: bool,
    /// The form of the lines on standard error, which tell the operator what happens
    #[arg(long, value_name = "FORM", value_enum, default_value = "text")]
    pub log_format: Form,
    /// Replace the operator's key and show the new one; the old one stops working
    #[arg(long)]
    pub new_operator_key: bool,
}

/// The address that a name or a number stands for. Of several, the first of IPv4, which every client can reach.
pub fn address(text: &str) -> Result<SocketAddr, String> {
    let Some((_, port)) = text.rsplit_once(':') else {
        return Err("a port is missing: an address looks like 127.0.0.1:8099".into());
    };
    port.parse::<u16>().map_err(|_| format!("{port:?} is not a port: a port is a number up to 65535"))?;
    let found = text.to_socket_addrs().map_err(|error| format!("this name can't be looked up: {error}"))?;
    let found = found.min_by_key(SocketAddr::is_ipv6);
    found.ok_or_else(|| "this name has no address".into())
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
