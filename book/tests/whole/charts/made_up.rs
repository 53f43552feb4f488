//! Made-up records: the reference's with fewer rows and with more, without optional parts, with figures of every
//! size.

use serde_json::{Value, json};

/// The list whose entries are the rows of a record's charts.
fn rows(verb: &str) -> &'static [&'static str] {
    match verb {
        "ladder" => &["chapters"],
        "scale" => &["shards"],
        "sweep" => &["sizes"],
        "feed" => &["cases"],
        "recover" => &["starts", "pauses"],
        "any-price" => &["flows"],
        "once" => &["costs", "returning", "naive"],
        "path" => &["loads"],
        "replicas" => &["sizes"],
        _ => &["stream", "late", "engines"],
    }
}

/// A record of `verb` in many shapes, each with what it is.
pub fn records(verb: &str, reference: &Value) -> Vec<(String, Value)> {
    let mut all = vec![(format!("the reference's {verb}"), reference.clone())];
    let mut with = |what: &str, edit: &dyn Fn(&mut Value)| {
        let mut record = reference.clone();
        edit(&mut record);
        all.push((format!("{verb} with {what}"), record));
    };
    for count in 1..=3 {
        with(&format!("{count} rows"), &|record| keep(record, verb, count));
    }
    with("more rows", &|record| grow(record, verb));
    with("another machine", &|record| {
        record["machine"]["cpu"] =
            json!("A very long name of a CPU <b> & 芯片 that would never appear on a chart as it is ".repeat(3));
        record["machine"]["cores"] = json!(1);
        record["machine"]["memory_bytes"] = Value::Null;
        record["machine"]["disk"] = json!("unknown");
    });
    with("an unknown disk and a flow of one's own", &|record| {
        record["machine"]["filesystem"] = json!("unknown");
        if record.get("flow").is_some() {
            record["flow"] = json!({"name": "input", "input": "my orders.csv"});
        }
    });
    for (what, factor) in [("huge figures", 1e7), ("tiny figures", 1e-7)] {
        with(what, &|record| shake(record, &mut || factor));
    }
    for seed in 1..=12 {
        let shaken = |record: &mut Value| {
            let mut random = random(seed);
            // From a few per cent to some powers of ten.
            let reach = f64::from(1 << (seed % 4)) / 4.0;
            shake(record, &mut || 10f64.powf((random() - 0.5) * reach));
        };
        with(&format!("shaken figures, {seed}"), &shaken);
    }
    match verb {
        "ladder" => ladders(&mut with),
        "feed" => feeds(&mut with),
        "venue" => venues(&mut with),
        "scale" => scales(&mut with),
        "any-price" => any_prices(&mut with),
        "once" => onces(&mut with),
        "path" => paths(&mut with),
        _ => {}
    }
    all
}

type With<'w> = dyn FnMut(&str, &dyn Fn(&mut Value)) + 'w;

fn ladders(with: &mut With<'_>) {
    with("no latency and no stages", &|record| {
        each(record, "chapters", |_, chapter| {
            chapter["latency_ns"] = Value::Null;
            chapter["stages_ns"] = Value::Null;
        })
    });
    with("a latency here and there", &|record| {
        each(record, "chapters", |at, chapter| {
            if at % 2 == 0 {
                chapter["latency_ns"] = Value::Null;
            }
        })
    });
    with("stages that took no time", &|record| {
        each(record, "chapters", |_, chapter| {
            for ns in chapter["stages_ns"].as_object_mut().into_iter().flatten() {
                *ns.1 = json!(0.0);
            }
        })
    });
    with("chapters that the book does not have", &|record| {
        each(record, "chapters", |at, chapter| {
            chapter["chapter"] = json!(
                ["mine", "0x99-an-exercise-with-quite-a-long-name-of-its-own", "0x0f-__proto__", "constructor"][at % 4]
                    .to_owned()
                    + &"-x".repeat(at)
            );
        })
    });
    with("halves and edges", &|record| {
        each(record, "chapters", |at, chapter| {
            let speed = [12.5, 0.125, 999.5, 9_999.5, 99_950.0, 999_950.0, 1e8, 2.5][at % 8];
            chapter["orders_per_s"] = json!({"median": speed, "min": speed, "max": speed, "rounds": [speed]});
            let ns = [999_u64, 1_000, 999_499, 999_500, 1_250, 12_250, 0, 1][at % 8];
            chapter["latency_ns"] =
                json!({"offered_per_s": 0.5, "p50": ns, "p99": ns, "p999": 2 * ns, "max": 1_000_000 * ns});
        })
    });
}

fn scales(with: &mut With<'_>) {
    let speeds = |record: &mut Value, of: &dyn Fn(f64) -> f64| {
        each(record, "shards", |_, shards| {
            let speed = of(shards["shards"].as_f64().unwrap_or(1.0));
            shards["orders_per_s"] = json!({"median": speed, "min": speed, "max": speed, "rounds": [speed]});
        });
    };
    with("points that better than scale", &|record| speeds(record, &|shards| 1e6 * shards.powf(1.3)));
    with("an axis in steps of a quarter", &|record| speeds(record, &|shards| 1.3e6 / (1.0 + 0.2 / shards)));
}

fn feeds(with: &mut With<'_>) {
    with("rounds that count for nothing", &|record| {
        record["rounds"] = json!(2);
        each(record, "cases", |_, case| case["channels"]["void"] = json!(["readers", "offering"]));
    });
    with("times that were not told", &|record| {
        record["bare_event_ns"] = Value::Null;
        each(record, "cases", |at, case| {
            if at % 2 == 1 {
                case["channels"]["event_ns"] = Value::Null;
                case["mask"]["from_acknowledgement"]["p50_ms"] = json!(0.0);
            }
        });
    });
    with("no time at all", &|record| each(record, "cases", |_, case| case["mask"]["event_ns"] = Value::Null));
}

fn any_prices(with: &mut With<'_>) {
    with("one book alone, and a flow of one's own", &|record| {
        each(record, "flows", |_, flow| keep_first(&mut flow["engines"], 1));
        record["flows"][0]["name"] = json!("a file of orders with a name that no column has space for.csv");
    });
    with("books that can't do every flow, and others' books", &|record| {
        each(record, "flows", |at, flow| {
            for more in ["lobster", "another library with a name", "a sixth"] {
                let mut book = flow["engines"][0].clone();
                book["name"] = json!(more);
                flow["engines"].as_array_mut().into_iter().for_each(|books| books.push(book.clone()));
            }
            keep_first(&mut flow["engines"], 6 - at % 4);
        });
    });
}

fn onces(with: &mut With<'_>) {
    with("ways of one's own, and requests of every number", &|record| {
        each(record, "naive", |at, way| {
            way["name"] =
                json!(["mine", "a way with a name that no column has space for, by far", "__proto__"][at % 3]);
            way["asked"] = json!([1, 999, 3_000_000][at % 3]);
            way["twice"] = json!([0, 1, 999_999][at % 3]);
            way["lost"] = json!([1, 0, 2_000_001][at % 3]);
        });
        each(record, "costs", |_, cost| cost["name"] = json!("by pigeon"));
    });
}

fn paths(with: &mut With<'_>) {
    with("loads and stages of one's own", &|record| {
        each(record, "loads", |at, load| {
            load["name"] = json!(["pigeon-7", "", "http", "__proto__-5"][at % 4]);
            for stage in load["stages"].as_array_mut().into_iter().flatten() {
                stage["name"] = json!("a stage with a name that no column has room for, by far");
            }
            keep_first(&mut load["stages"], 4 - at % 4);
        });
    });
}

fn keep_first(list: &mut Value, count: usize) {
    list.as_array_mut().into_iter().for_each(|entries| entries.truncate(count));
}

fn venues(with: &mut With<'_>) {
    for part in ["http", "connections"] {
        with(&format!("no {part}"), &|record| record[part] = Value::Null);
    }
    for part in ["stream", "late", "engines"] {
        with(&format!("no {part}"), &|record| record[part] = json!([]));
    }
    with("names that do not exist", &|record| {
        for part in ["stream", "late", "engines"] {
            each(record, part, |at, one| {
                if at > 0 {
                    one["name"] = json!("a name of its own that is longer than a column has space for, by far");
                }
            });
        }
        each(&mut record["connections"], "cases", |_, case| case["connection_bytes"] = Value::Null);
    });
}

fn each(record: &mut Value, list: &str, mut edit: impl FnMut(usize, &mut Value)) {
    let entries = record[list].as_array_mut().into_iter().flatten();
    entries.enumerate().for_each(|(at, entry)| edit(at, entry));
}

/// Only the first rows.
fn keep(record: &mut Value, verb: &str, count: usize) {
    for list in rows(verb) {
        if let Some(entries) = record[*list].as_array_mut() {
            entries.truncate(count);
        }
    }
}

/// Twenty rows and more, each with its own name and place.
fn grow(record: &mut Value, verb: &str) {
    for list in rows(verb) {
        let Some(entries) = record[*list].as_array_mut() else { continue };
        let first = entries.len().min(3);
        while entries.len() < 24 {
            let at = entries.len();
            let mut one = entries[at % first].clone();
            for (key, value) in one.as_object_mut().into_iter().flatten() {
                match key.as_str() {
                    "chapter" => *value = json!(format!("0x{at:02x}-chapter-{at}")),
                    "shards" | "batch" | "readers" | "commands" | "notices" | "bytes" => {
                        *value = json!(at * at * at + 1)
                    }
                    _ => {}
                }
            }
            entries.push(one);
        }
    }
}

/// Multiplies every spread, and every other time that is not a whole number, each by the next
/// factor.
fn shake(value: &mut Value, factor: &mut dyn FnMut() -> f64) {
    match value {
        Value::Array(entries) => entries.iter_mut().for_each(|entry| shake(entry, factor)),
        Value::Object(fields) if fields.contains_key("rounds") && fields.contains_key("median") => {
            let factor = factor();
            for number in fields.values_mut() {
                shake(number, &mut || factor);
            }
        }
        Value::Object(fields) => {
            for (key, field) in fields.iter_mut().filter(|(key, _)| *key != "probes" && *key != "usl") {
                if field.is_f64() && key != "seconds" {
                    *field = json!(field.as_f64().unwrap_or_default() * factor());
                } else {
                    shake(field, factor);
                }
            }
        }
        number if number.is_f64() => *number = json!(number.as_f64().unwrap_or_default() * factor()),
        _ => {}
    }
}

/// A generator by Marsaglia: numbers from 0 to 1.
fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut state = 0x9E37_79B9_7F4A_7C15 ^ seed;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    }
}
