//! Laws that hold in every run of the engines on the time lines, whatever the machine and its disk.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One run. Times are in nanoseconds from the moment when the first order was due; a span is from its beginning to
/// its end.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Run {
    pub engine: String,
    pub batch_max: Option<usize>,
    /// How long the first command of a batch waits for others, where the engine does that.
    pub interval_ns: u64,
    pub orders: Vec<Order>,
    pub frames: Vec<Frame>,
}

/// When an order was due, when the engine received it, when it was applied and acknowledged.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Order {
    pub came: u64,
    pub taken: u64,
    pub applied: (u64, u64),
    pub acknowledged: u64,
}

/// How many orders a frame has, and when it was written and synced.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Frame {
    pub orders: usize,
    pub written: (u64, u64),
    pub synced: (u64, u64),
}

/// Checks that every run is one that its engine allows.
///
/// # Errors
/// What is wrong, and in which run.
pub fn check(steps: &Value) -> Result<(), String> {
    let runs: Vec<Run> = serde_json::from_value(steps["runs"].clone()).map_err(|error| error.to_string())?;
    runs.iter().try_for_each(|run| {
        let check = frames_follow_each_other(run).and_then(|()| frames_are_of_the_engine(run));
        let check = check.and_then(|()| applied_is_durable(run));
        check.and_then(|()| orders_follow_each_other(run)).map_err(|fault| {
            let batch_max = run.batch_max.map(|batch_max| format!(" with K = {batch_max}")).unwrap_or_default();
            format!("{}{batch_max}: {fault}", run.engine)
        })
    })
}

/// Moments that must be in this order, each with its name.
fn in_order(moments: &[(&str, u64)]) -> Result<(), String> {
    match moments.windows(2).find(|pair| pair[0].1 > pair[1].1) {
        Some(pair) => Err(format!("{} at {} ns, but {} at {} ns", pair[0].0, pair[0].1, pair[1].0, pair[1].1)),
        None => Ok(()),
    }
}

/// One disk writes and syncs one frame after another, and every order is in one.
fn frames_follow_each_other(run: &Run) -> Result<(), String> {
    let Run { orders, frames, .. } = run;
    let moments = frames.iter().flat_map(|Frame { written, synced, .. }| {
        [("a frame is written", written.0), ("was written", written.1), ("is synced", synced.0), ("was", synced.1)]
    });
    in_order(&moments.collect::<Vec<_>>())?;
    let in_frames: usize = frames.iter().map(|frame| frame.orders).sum();
    match in_frames == orders.len() && frames.iter().all(|frame| frame.orders > 0) {
        true => Ok(()),
        false => Err(format!("{} orders, but {in_frames} in frames", orders.len())),
    }
}

/// A frame has as many orders as the engine lets it have: one in 0x01; K in 0x03, or fewer once the first has waited
/// for its interval. The last order, which comes alone, is alone in its frame everywhere.
fn frames_are_of_the_engine(run: &Run) -> Result<(), String> {
    for (frame, first) in run.with_first() {
        let waited = frame.written.0.saturating_sub(run.orders[first].taken);
        let is_allowed = match (&*run.engine, run.batch_max) {
            ("0x01", None) => frame.orders == 1,
            ("0x03", Some(most)) if frame.orders == most => true,
            ("0x03", Some(most)) => frame.orders < most && waited >= run.interval_ns,
            ("0x06", None) => true,
            (engine, _) => return Err(format!("{engine} is unknown")),
        };
        if !is_allowed {
            return Err(format!("a frame of {} orders, {waited} ns after its first was taken", frame.orders));
        }
    }
    match run.frames.last() {
        Some(Frame { orders: 1, .. }) => Ok(()),
        _ => Err("the last order is not alone in its frame".into()),
    }
}

/// Orders are taken, applied and acknowledged in order; the last comes when all others have their answer.
fn orders_follow_each_other(run: &Run) -> Result<(), String> {
    for order in &run.orders {
        let Order { came, taken, applied, acknowledged } = *order;
        let moments = [("an order came", came), ("was taken", taken), ("applied", applied.0), ("done", applied.1)];
        in_order(&[&moments[..], &[("acknowledged", acknowledged)]].concat())?;
    }
    for pair in run.orders.windows(2) {
        in_order(&[("an order came", pair[0].came), ("the next one", pair[1].came)])?;
        in_order(&[("an order was taken", pair[0].taken), ("the next one", pair[1].taken)])?;
        in_order(&[("an order was applied", pair[0].applied.1), ("the next one", pair[1].applied.0)])?;
        in_order(&[("acknowledged", pair[0].acknowledged), ("the next one", pair[1].acknowledged)])?;
    }
    match &run.orders[..] {
        [.., before, last] => in_order(&[("acknowledged", before.acknowledged), ("the last one came", last.came)]),
        _ => Err("too few orders".into()),
    }
}

/// What is applied is on disk: the sync of its frame has returned.
fn applied_is_durable(run: &Run) -> Result<(), String> {
    let of_frame = |(frame, first): (&Frame, usize)| {
        run.orders[first..first + frame.orders].iter().try_for_each(|order| {
            in_order(&[("an order was taken", order.taken), ("its frame written", frame.written.0)])?;
            in_order(&[("the sync returned", frame.synced.1), ("an order of its frame was applied", order.applied.0)])
        })
    };
    run.with_first().try_for_each(of_frame)
}

impl Run {
    /// Each frame with the place of its first order.
    fn with_first(&self) -> impl Iterator<Item = (&Frame, usize)> {
        self.frames.iter().scan(0, |next, frame| {
            let first = *next;
            *next += frame.orders;
            Some((frame, first))
        })
    }
}
