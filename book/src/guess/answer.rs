//! What a guess is compared with: numbers from the records, and what follows from them.

use crate::directive::Directive;
use crate::format::Format;
use crate::guess::question::{Guess, Item, Kind};
use crate::pointer::Pointer;
use crate::sources::Sources;
use results::language::Language;
use serde_json::{Value, json};

/// The measured number of a guess for a number, raw and formatted.
pub(super) fn measured(s: &Sources, lang: Language, guess: &Guess) -> Result<Option<Value>, String> {
    let Some(format) = format(guess.kind) else { return Ok(None) };
    let value = value(s, &guess.answer)?;
    if value <= 0.0 {
        return Err(format!("the answer, {value}, has no place on a logarithmic line"));
    }
    Ok(Some(json!({ "value": value, "shown": Format::parse(format)?.number(value, lang) })))
}

/// The items, each with its right answer.
pub(super) fn items(s: &Sources, lang: Language, guess: &Guess) -> Result<Vec<Value>, String> {
    let values = guess.items.iter().map(|item| item.value.as_deref().map(|of| value(s, of)).transpose());
    let values = values.collect::<Result<Vec<_>, _>>()?;
    let whole: f64 = values.iter().flatten().sum();
    let needs_values = matches!(guess.kind, Kind::Shares | Kind::Ranking);
    if needs_values && values.iter().any(Option::is_none) {
        return Err("each item needs a `value`".into());
    }
    let mut items = Vec::new();
    for (item, value) in guess.items.iter().zip(values) {
        let mut data = json!({ "label": lang.pick(&item.en, &item.zh) });
        match (guess.kind, value) {
            (Kind::Shares, Some(value)) => data["value"] = json!(value / whole * 100.0),
            (Kind::Ranking, Some(value)) => {
                data["value"] = json!(value);
                data["shown"] = json!(Format::parse("ns2")?.number(value, lang));
            }
            (Kind::Choice, value) => {
                let right = right(s, guess, item, value)?;
                if right.is_none() && item.see.is_none() {
                    return Err(format!("`{}` has no answer: give a `value`, `right` or `see`", item.en));
                }
                data["right"] = json!(right);
                data["see"] = json!(item.see);
            }
            _ => return Err("only a ranking, a choice and shares have items".into()),
        }
        items.push(data);
    }
    Ok(items)
}

/// Which option is right for an item, if its answer is not prose.
fn right(s: &Sources, guess: &Guess, item: &Item, measured: Option<f64>) -> Result<Option<usize>, String> {
    if let Some(right) = item.right {
        return if right < guess.options.len() { Ok(Some(right)) } else { Err(format!("there is no option {right}")) };
    }
    if let Some(measured) = measured {
        let fits = guess.options.iter().position(|option| option.below.is_none_or(|below| measured < below));
        return fits.map(Some).ok_or_else(|| format!("no option holds {measured}"));
    }
    let valued = guess.options.iter().enumerate().filter_map(|(at, option)| Some((at, option.value.as_deref()?)));
    let valued = valued.map(|(at, of)| Ok((at, value(s, of)?))).collect::<Result<Vec<_>, String>>()?;
    Ok(valued.into_iter().max_by(|(_, a), (_, b)| a.total_cmp(b)).map(|(at, _)| at))
}

/// The number that `num …` or `ratio …` gives.
fn value(s: &Sources, directive: &str) -> Result<f64, String> {
    let (word, rest) = directive.split_once(' ').unwrap_or((directive, ""));
    let number = |of: &Pointer<'_>| s.reference.number(of);
    match Directive::parse(word, rest).map_err(|e| format!("`{directive}`: {e}"))? {
        Directive::Num { of, .. } => number(&of),
        Directive::Ratio { above, below, .. } => Ok(number(&above)? / number(&below)?),
        _ => Err(format!("`{directive}` gives no number: write `num …` or `ratio …`")),
    }
}

/// How a number of this kind is shown.
fn format(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Factor => Some("x2"),
        Kind::Count => Some("si2"),
        Kind::Time => Some("ns2"),
        Kind::Percent => Some("pct2"),
        Kind::Shares | Kind::Choice | Kind::Ranking => None,
    }
}
