//! Axes: from figures to pixels, and where the ticks are.

/// A logarithmic axis.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LogAxis {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl LogAxis {
    /// From `low` at pixel `from` to `high` at pixel `to`.
    pub fn new(low: f64, high: f64, from: f64, to: f64) -> Self {
        debug_assert!(low > 0.0 && high > low, "{low} to {high}");
        Self { low: low.log10(), high: high.log10(), from, to }
    }

    /// From the power of ten under `values`, the lowest at least a fifth of a decade up so that its
    /// bar can be seen, to a little above the highest.
    pub fn around(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (low, high) = range(values);
        let low = 10_f64.powf((low.log10() - 0.2).floor());
        Self::new(low, (high * 1.25).max(low * 10.0), from, to)
    }

    /// The pixel of `value`, clamped to the axis.
    pub fn at(&self, value: f64) -> f64 {
        let share = (value.log10() - self.low) / (self.high - self.low);
        self.from + share.clamp(0.0, 1.0) * (self.to - self.from)
    }

    /// Powers of ten on the axis, thinned out to at most eight; on a short axis also 2 and 5 of each.
    pub fn ticks(&self) -> Vec<f64> {
        let (low, high) = ((self.low - 1e-9).ceil() as i32, (self.high + 1e-9).floor() as i32);
        let step = ((high - low) / 8 + 1) as usize;
        let factors: &[f64] = if self.high - self.low < 2.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        (low..=high)
            .step_by(step)
            .flat_map(|power| factors.iter().map(move |factor| factor * 10_f64.powi(power)))
            .filter(|tick| tick.log10() <= self.high + 1e-9)
            .collect()
    }
}

/// A linear axis from zero.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LinearAxis {
    high: f64,
    step: f64,
    from: f64,
    to: f64,
}

impl LinearAxis {
    /// From zero at pixel `from` to a round figure at or above `high` at pixel `to`.
    pub fn new(high: f64, from: f64, to: f64) -> Self {
        let power = 10_f64.powf(high.log10().floor());
        let steps = [0.1, 0.2, 0.25, 0.5, 1.0, 2.0].map(|step| step * power);
        let step = steps.into_iter().find(|step| high / step <= 6.0).unwrap_or(2.0 * power);
        Self { high: (high / step - 1e-9).ceil() * step, step, from, to }
    }

    /// The highest figure on the axis.
    pub fn high(&self) -> f64 {
        self.high
    }

    /// The pixel of `value`.
    pub fn at(&self, value: f64) -> f64 {
        self.from + value / self.high * (self.to - self.from)
    }

    /// Round figures from zero to the top.
    pub fn ticks(&self) -> Vec<f64> {
        let count = (self.high / self.step).round() as u32;
        (0..=count).map(|place| f64::from(place) * self.step).collect()
    }
}

/// The smallest and the largest of `values`, which are above zero.
pub(crate) fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::MAX, f64::MIN_POSITIVE), |(low, high), value| (low.min(value), high.max(value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_axis_has_powers_of_ten() {
        let axis = LogAxis::around([9e3, 8e7].into_iter(), 0.0, 500.0);
        assert_eq!(axis.ticks(), [1e3, 1e4, 1e5, 1e6, 1e7, 1e8]);
        assert_eq!(axis.at(1e3), 0.0);
        assert!((axis.at(1e4) - 100.0).abs() < 1e-9);
        assert_eq!(axis.at(0.5), 0.0);
        assert_eq!(axis.at(1e9), 500.0);
        let one = LogAxis::around([1e4].into_iter(), 0.0, 100.0);
        assert_eq!(one.ticks(), [1e3, 2e3, 5e3, 1e4]);
        assert!(LogAxis::new(1.0, 1e20, 0.0, 1.0).ticks().len() <= 8);
    }

    #[test]
    fn a_linear_axis_ends_at_a_round_figure() {
        let axis = LinearAxis::new(13.2e6, 300.0, 0.0);
        assert_eq!(axis.high(), 15e6);
        assert_eq!(axis.ticks(), [0.0, 2.5e6, 5e6, 7.5e6, 10e6, 12.5e6, 15e6]);
        assert_eq!(axis.at(15e6), 0.0);
        assert_eq!(axis.at(0.0), 300.0);
        assert_eq!(LinearAxis::new(100.0, 0.0, 1.0).high(), 100.0);
    }
}
