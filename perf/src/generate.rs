//! `generate`: a flow as CSV on standard output, for any chapter to read back with `--input`.
//!
//! What a flow needs before its first order (markets, deposits) comes first in the file, so the file
//! is complete; a run that reads it counts those commands too.

use std::io::{self, BufWriter};

use market::flow::{self, DEFAULT_ORDERS, DEFAULT_SEED, FlowName};
use program::{Unprinted, Verdict};
use results::error::MeasureError;

/// The arguments of `generate`.
#[derive(Debug, Clone, clap::Args)]
pub struct GenerateArgs {
    /// The flow: classic, venue or burst
    #[arg(long, default_value = "classic", value_name = "NAME")]
    pub flow: FlowName,
    /// How many commands after the set-up
    #[arg(long, default_value_t = DEFAULT_ORDERS as u32, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=200_000_000))]
    pub orders: u32,
    /// The seed that the flow is generated from
    #[arg(long, default_value_t = DEFAULT_SEED, value_name = "N")]
    pub seed: u64,
}

/// Writes the flow to standard output.
///
/// # Errors
/// When standard output can't be written.
pub fn run(args: &GenerateArgs) -> Result<Verdict, MeasureError> {
    let flow = flow::generate(args.flow, args.orders as usize, args.seed);
    let commands = flow.setup.into_iter().chain(flow.body);
    market::csv::write(BufWriter::new(io::stdout().lock()), commands).map_err(Unprinted::from)?;
    Ok(Verdict::Yes)
}
