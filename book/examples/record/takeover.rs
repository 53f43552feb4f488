//! The shortest ways from a planted mistake to a lost command, found by the search of 0x0e's model: after each step, what
//! the machines and the stream hold.

#[allow(dead_code)]
#[path = "../../../chapters/0x0e-replication/tests/model/parts.rs"]
mod parts;
#[path = "../../../chapters/0x0e-replication/tests/model/protocol.rs"]
mod protocol;
#[allow(dead_code)]
#[path = "../../../chapters/0x0e-replication/tests/model/search.rs"]
mod search;

use crate::digest::{hex, sources};
use parts::{Acknowledged, Append, Machine, Message, Mistake, Role, Step};
use protocol::World;
use search::{BOUNDS, MISTAKES, search};
use serde_json::{Value, json};

const CHAPTER: &str = "0x0e-replication";
const SOURCES: [&str; 3] = ["tests/model/parts.rs", "tests/model/protocol.rs", "tests/model/search.rs"];

/// The mistakes that are shown, in this order: each ends with a command that was acknowledged and is lost.
const SHOWN: [Mistake; 3] = [Mistake::ReadBeforeFence, Mistake::AcknowledgeFromDisk, Mistake::AcknowledgeBeforeFence];

/// The recording, with the files that made it.
pub fn record() -> Value {
    let steps = Value::Array(SHOWN.into_iter().flat_map(run).collect());
    let digest = hex(steps.to_string().as_bytes());
    json!({ "chapter": CHAPTER, "sources": sources(CHAPTER, &SOURCES), "digest": digest, "steps": steps })
}

/// The empty world, and each step of the shortest way with the world after it.
fn run(mistake: Mistake) -> Vec<Value> {
    let (_, name, promise) = MISTAKES.into_iter().find(|(planted, ..)| *planted == mistake).unwrap();
    let (way, broken) = search(BOUNDS, mistake, promise).broken.unwrap();
    let mut world = World::new();
    let mut steps = vec![json!({ "run": name, "does": "begins", "holds": holds(&world) })];
    for step in way {
        let all = world.next(BOUNDS, mistake);
        let (_, after) = all.into_iter().find(|(next, _)| *next == step).unwrap();
        steps.push(json!({
            "run": name, "does": does(step, &world, &after), "detail": detail(step, &world, &after),
            "model": step.to_string(), "holds": holds(&after),
        }));
        world = after;
    }
    steps.last_mut().unwrap()["broken"] = broken.into();
    steps
}

/// What a step did, by its result.
fn does(step: Step, before: &World, after: &World) -> &'static str {
    match step {
        Step::Arrives(_) if after.stream.len() == before.stream.len() => "is-refused",
        Step::Arrives(Append { message: Message::Epoch(_), .. }) => "epoch-arrives",
        Step::Arrives(_) => "command-arrives",
        Step::IsLost(_) => "is-lost",
        Step::TakesOver(_) => "takes-over",
        Step::LooksForEpoch(of) => match (before.machines[of].role, after.machines[of].role) {
            (Role::Fencing(there), Role::Fencing(next)) if there == next => "epoch-missing",
            (_, Role::Fencing(_)) => "epoch-elsewhere",
            _ => "epoch-there",
        },
        Step::ReadsOn(of) if after.machines[of].role == Role::Primary => "opens",
        Step::ReadsOn(_) => "reads",
        Step::Writes(..) => "writes",
        Step::LooksForFrame(of) if after.machines[of].role == Role::Replaced => "is-replaced",
        Step::LooksForFrame(_) if after.acknowledged == before.acknowledged => "frame-missing",
        Step::LooksForFrame(_) => "frame-there",
        Step::Dies(_) => "dies",
        Step::Trims(_) => "trims",
    }
}

/// The numbers of a step: the machine, the append that was sent or arrived, and the place that it is about.
fn detail(step: Step, before: &World, after: &World) -> Value {
    let sent = after.on_its_way.difference(&before.on_its_way).next().copied();
    let (of, append) = match step {
        Step::Arrives(append) | Step::IsLost(append) => (append.from, Some(append)),
        Step::TakesOver(of)
        | Step::LooksForEpoch(of)
        | Step::ReadsOn(of)
        | Step::Writes(of, _)
        | Step::LooksForFrame(of)
        | Step::Dies(of)
        | Step::Trims(of) => (of, sent),
    };
    let machine = &after.machines[of];
    let place = match step {
        Step::Arrives(_) => after.stream.len(),
        Step::LooksForEpoch(_) => machine.epoch,
        _ => machine.place,
    };
    json!({ "machine": of, "behind": append.map(|append| append.last), "place": place, "command": machine.log.last() })
}

/// What is drawn of a world.
fn holds(world: &World) -> Value {
    let machines = [0, 1].map(|of| {
        let machine = &world.machines[of];
        let sent = world.on_its_way.iter().filter(|append| append.from == of);
        let sent = sent.map(|append| json!({ "behind": append.last, "message": message(append.message) }));
        let lacks = world.acknowledged.iter().filter(|known| lacks(machine, known));
        let lacks = lacks.map(|known| json!({ "number": known.sequence, "command": known.command }));
        json!({
            "role": role(machine.role), "epoch": machine.epoch, "log": machine.log,
            "sent": sent.collect::<Vec<_>>(), "lacks": lacks.collect::<Vec<_>>(),
        })
    });
    let stream = world.stream.iter().copied().map(message).collect::<Vec<_>>();
    let acknowledged =
        world.acknowledged.iter().map(|known| json!({ "number": known.sequence, "command": known.command }));
    json!({ "machines": machines, "stream": stream, "acknowledged": acknowledged.collect::<Vec<_>>() })
}

/// Whether a primary lacks a command that was acknowledged in no later epoch than its own.
fn lacks(machine: &Machine, known: &Acknowledged) -> bool {
    let is_later = machine.role == Role::Primary && machine.epoch >= known.epoch;
    is_later && machine.log.get(known.sequence - 1) != Some(&known.command)
}

fn message(message: Message) -> Value {
    match message {
        Message::Epoch(of) => json!({ "epoch_of": of }),
        Message::Frame(_, command) => json!({ "command": command }),
    }
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Standby => "standby",
        Role::Fencing(_) => "fencing",
        Role::Reading(_) => "reading",
        Role::Primary => "primary",
        Role::Replaced => "replaced",
        Role::Refused => "refused",
    }
}
