//! Writes metrics one by one, each with its type and its unit.

use std::fmt;

use gateway::layer::Metric;
use prometheus_client::encoding::{DescriptorEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Unit;

use crate::distribution::Distribution;

/// The upper bounds of buckets, in nanoseconds: each twice the one before, from a microsecond to eight seconds.
pub const BOUNDS: [u64; 24] = {
    let mut bounds = [0; 24];
    let mut at = 0;
    while at < bounds.len() {
        bounds[at] = 1_000 << at;
        at += 1;
    }
    bounds
};

/// Writes them.
pub struct Writer<'w, 'e>(pub &'w mut DescriptorEncoder<'e>);

impl Writer<'_, '_> {
    /// What may rise and fall.
    ///
    /// # Errors
    /// The encoder's errors, here and below.
    pub fn gauge(&mut self, name: &str, help: &str, unit: Option<Unit>, value: f64) -> fmt::Result {
        self.0.encode_descriptor(name, help, unit.as_ref(), MetricType::Gauge)?.encode_gauge(&value)
    }

    /// What a layer shows, with the number of the shard as its label.
    ///
    /// # Errors
    /// As above.
    pub fn of_shards(&mut self, Metric { name, help, is_counter, shards }: &Metric) -> fmt::Result {
        let kind = if *is_counter { MetricType::Counter } else { MetricType::Gauge };
        let mut encoder = self.0.encode_descriptor(name, help, None, kind)?;
        for (shard, value) in shards.iter().enumerate() {
            let shard = [("shard", shard)];
            let mut one = encoder.encode_family(&shard)?;
            match is_counter {
                true => one.encode_counter::<NoLabelSet, _, u64>(value, None)?,
                false => one.encode_gauge(value)?,
            }
        }
        Ok(())
    }

    /// What only rises.
    ///
    /// # Errors
    /// As above.
    pub fn counter(&mut self, name: &str, help: &str, value: u64) -> fmt::Result {
        let mut encoder = self.0.encode_descriptor(name, help, None, MetricType::Counter)?;
        encoder.encode_counter::<NoLabelSet, _, u64>(&value, None)
    }

    /// Seconds that only rise.
    ///
    /// # Errors
    /// As above.
    pub fn seconds(&mut self, name: &str, help: &str, value: f64) -> fmt::Result {
        let mut encoder = self.0.encode_descriptor(name, help, Some(&Unit::Seconds), MetricType::Counter)?;
        encoder.encode_counter::<NoLabelSet, _, u64>(&value, None)
    }

    /// Counters that differ in one label.
    ///
    /// # Errors
    /// As above.
    pub fn counters(&mut self, name: &str, help: &str, label: &str, values: &[(&str, u64)]) -> fmt::Result {
        let mut encoder = self.0.encode_descriptor(name, help, None, MetricType::Counter)?;
        for (which, value) in values {
            encoder.encode_family(&[(label, *which)])?.encode_counter::<NoLabelSet, _, u64>(value, None)?;
        }
        Ok(())
    }

    /// Histograms that differ in one label.
    ///
    /// # Errors
    /// As above.
    pub fn times(&mut self, name: &str, help: &str, label: &str, times: &[(&str, &Distribution)]) -> fmt::Result {
        let mut encoder = self.0.encode_descriptor(name, help, Some(&Unit::Seconds), MetricType::Histogram)?;
        for (which, times) in times {
            let (mut before, mut buckets) = (0, Vec::with_capacity(BOUNDS.len() + 1));
            for (bound, count) in BOUNDS.iter().zip(times.up_to(&BOUNDS)) {
                buckets.push((*bound as f64 / 1e9, count - before));
                before = count;
            }
            buckets.push((f64::INFINITY, times.count() - before));
            let (sum, count) = (times.sum() as f64 / 1e9, times.count());
            encoder.encode_family(&[(label, *which)])?.encode_histogram::<NoLabelSet>(sum, count, &buckets, None)?;
        }
        Ok(())
    }
}
