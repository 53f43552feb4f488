//! Whole engines in memory: balance check, matching and settlement over a flow, with no log, no ledger
//! and no acknowledgement. That leaves the data structures.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use market::flow::{DEFAULT_SEED, Flow, FlowName, generate};

const ORDERS: usize = 200_000;

/// Two generations of `Exchange::apply`: one returns its events, one adds them to a list.
macro_rules! run {
    ($exchange:expr, $flow:expr, $($argument:expr),*) => {{
        let mut exchange = $exchange;
        for command in $flow {
            std::hint::black_box(exchange.apply(command, $($argument),*));
        }
        exchange
    }};
}

fn engines(criterion: &mut Criterion) {
    for name in [FlowName::Classic, FlowName::Venue] {
        let Flow { setup, body, .. } = generate(name, ORDERS, DEFAULT_SEED);
        let mut group = criterion.benchmark_group(format!("in_memory/{name}"));
        group.throughput(Throughput::Elements(ORDERS as u64)).sample_size(10);
        let id = |chapter: &str| BenchmarkId::from_parameter(chapter);
        group.bench_function(id("0x01"), |bencher| {
            bencher.iter_batched(
                || run!(ch01::exchange::Exchange::default(), &setup,),
                |exchange| run!(exchange, &body,),
                criterion::BatchSize::PerIteration,
            );
        });
        macro_rules! with_list {
            ($chapter:ident, $name:literal) => {
                group.bench_function(id($name), |bencher| {
                    let mut events = Vec::with_capacity(1_024);
                    let mut metrics = $chapter::metrics::Unmeasured;
                    bencher.iter_batched(
                        || {
                            let mut events = Vec::new();
                            run!(
                                $chapter::exchange::Exchange::default(),
                                &setup,
                                &mut events,
                                &mut $chapter::metrics::Unmeasured
                            )
                        },
                        |mut exchange| {
                            for command in &body {
                                events.clear();
                                exchange.apply(command, &mut events, &mut metrics);
                            }
                            exchange
                        },
                        criterion::BatchSize::PerIteration,
                    );
                });
            };
        }
        with_list!(ch04, "0x04");
        with_list!(ch05, "0x05");
        group.finish();
    }
}

criterion_group!(benches, engines);
criterion_main!(benches);
