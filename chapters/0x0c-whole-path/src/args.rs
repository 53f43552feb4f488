//! What this chapter adds to the command line.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use gateway::args::address;

/// What is measured, and where it is shown
#[derive(Debug, Clone, clap::Args)]
pub struct PathArgs {
    /// Collect the stages of one request in N, and of every slow one
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..))]
    pub sample: u64,
    /// A request is slow when it takes longer than this many milliseconds
    #[arg(long, value_name = "MS", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=60_000))]
    pub slow: u64,
    /// Where Prometheus finds the metrics; port 0 picks a free port
    #[arg(long, value_name = "ADDRESS", default_value_t = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0), value_parser = address)]
    pub metrics: SocketAddr,
    /// Let other machines read the metrics, which ask for no key and are not encrypted
    #[arg(long)]
    pub metrics_open: bool,
    /// Take no stamps at all
    #[arg(long)]
    pub no_stamps: bool,
}
