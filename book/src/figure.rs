//! A figure of a record, defined once: the page shows it from the reference record and, if there is one, from the
//! reader's own, and carries its source for its script (`book/theme/records.js`), which finds it in a record that a
//! reader drops there.

use crate::format::Format;
use crate::pointer::Pointer;
use crate::record::Records;
use results::language::Language;

/// A value of a record, or a value divided by the sum of others, and its format.
#[derive(Debug, Clone)]
pub struct Figure {
    of: String,
    over: Vec<String>,
    format: Format,
}

impl Figure {
    /// The value at `of`, which has the form of a [`Pointer`].
    pub fn of(of: impl Into<String>, format: Format) -> Self {
        Self { of: of.into(), over: Vec::new(), format }
    }

    /// The same, divided by the sum of the values at `over`.
    pub fn over(self, over: impl IntoIterator<Item = String>) -> Self {
        Self { over: over.into_iter().collect(), ..self }
    }

    /// The same, with every place in a list replaced by the name of its entry in `records`.
    ///
    /// # Errors
    /// The error of [`Records::value`] for a path that leads nowhere.
    pub fn named(&self, records: &Records) -> Result<Self, String> {
        let name = |path: &String| records.named(&Pointer::parse(path)?);
        Ok(Self {
            of: name(&self.of)?,
            over: self.over.iter().map(name).collect::<Result<_, _>>()?,
            format: self.format,
        })
    }

    /// The figure in these records, as text.
    ///
    /// # Errors
    /// When the record has no such value, or none that can be shown in this format.
    pub fn show(&self, records: &Records, lang: Language) -> Result<String, String> {
        let of = Pointer::parse(&self.of)?;
        if self.over.is_empty() {
            return self.format.value(&records.value(&of)?, lang);
        }
        Ok(self.format.number(self.ratio(records)?, lang))
    }

    /// The value, divided by the sum if there is one.
    ///
    /// # Errors
    /// When the record has no such numbers, or the sum is zero.
    pub fn ratio(&self, records: &Records) -> Result<f64, String> {
        let of = records.number(&Pointer::parse(&self.of)?)?;
        if self.over.is_empty() {
            return Ok(of);
        }
        let parts = self.over.iter().map(|path| records.number(&Pointer::parse(path)?));
        let over: f64 = parts.collect::<Result<Vec<_>, String>>()?.into_iter().sum();
        if over == 0.0 { Err(format!("{} is zero", self.over.join(" + "))) } else { Ok(of / over) }
    }

    /// Its source, for people: `ladder:a ÷ ladder:b`.
    pub fn source(&self) -> String {
        if self.over.is_empty() { self.of.clone() } else { format!("{} ÷ {}", self.of, self.over.join(" + ")) }
    }

    /// The same with its format, for the script: `ladder:a ÷ ladder:b as x2`. It contains no bar, because a
    /// number may be in a table of the page's source.
    pub fn words(&self) -> String {
        format!("{} as {}", self.source(), self.format)
    }
}
