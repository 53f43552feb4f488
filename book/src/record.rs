//! The records that numbers come from: one folder of committed ones, one of the reader's own.
//!
//! A table reads a record as its type, which checks it; a number in prose names a path in it.

use crate::pointer::Pointer;
use crate::project::Project;
use results::record::Record;
use serde_json::Value;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::rc::Rc;

/// A folder of JSON records, read once each.
#[derive(Debug)]
pub struct Records {
    dir: PathBuf,
    shown: String,
    read: RefCell<BTreeMap<String, Rc<Value>>>,
}

impl Records {
    /// The committed records.
    pub fn reference(project: &Project) -> Self {
        Self { dir: project.reference(), shown: "output/reference".into(), read: RefCell::default() }
    }

    /// The reader's own run.
    pub fn own(project: &Project) -> Self {
        Self { dir: project.own_output(), shown: "output".into(), read: RefCell::default() }
    }

    /// A whole record of its type.
    pub fn load<R: Record>(&self) -> Result<R, String> {
        R::load(&self.dir.join(format!("{}.json", R::VERB))).map_err(|e| e.to_string())
    }

    /// A whole record, e.g. `ladder`, for paths into it.
    pub(crate) fn record(&self, name: &str) -> Result<Rc<Value>, String> {
        if let Some(value) = self.read.borrow().get(name) {
            return Ok(Rc::clone(value));
        }
        let text = fs::read_to_string(self.dir.join(format!("{name}.json")))
            .map_err(|e| format!("{}/{name}.json: {e}", self.shown))?;
        let value = serde_json::from_str(&text).map_err(|e| format!("{}/{name}.json: {e}", self.shown))?;
        let value = Rc::new(value);
        self.read.borrow_mut().insert(name.to_owned(), Rc::clone(&value));
        Ok(value)
    }

    /// The value that `pointer` names.
    pub fn value(&self, pointer: &Pointer<'_>) -> Result<Value, String> {
        let record = self.record(pointer.record)?;
        pointer.walk(&record).cloned().map_err(|e| format!("{}/{}.json: {e}", self.shown, pointer.record))
    }

    /// The path of `pointer` with every place in a list replaced by its entry's name.
    ///
    /// # Errors
    /// As [`Records::value`].
    pub fn named(&self, pointer: &Pointer<'_>) -> Result<String, String> {
        let record = self.record(pointer.record)?;
        pointer.named(&record).map_err(|e| format!("{}/{}.json: {e}", self.shown, pointer.record))
    }

    /// The number that `pointer` names.
    pub fn number(&self, pointer: &Pointer<'_>) -> Result<f64, String> {
        self.value(pointer)?.as_f64().ok_or_else(|| format!("{}/{} is not a number", self.shown, pointer.text))
    }
}
