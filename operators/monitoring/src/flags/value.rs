//! What can be written behind a flag. Types that only one group uses are beside that group.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use go_syntax::quoted::Quoted;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use crate::flags::go::{duration, number, quantity};

/// Why a text cannot be a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It cannot be read: no other flag is looked at.
    Now(String),
    /// It can be read, and nothing can start with it. The peer finds out only then, so a later flag can still mend it,
    /// and a version can still be told.
    AtStart(String),
}

impl Refusal {
    /// A text that cannot be read.
    pub(crate) fn now(problem: &(impl ToString + ?Sized)) -> Self {
        Self::Now(problem.to_string())
    }
}

/// The value of a flag.
pub(crate) trait Value {
    /// What a value looks like; empty, if none is needed.
    fn form(&self) -> &'static str;

    /// What would have to be written to get this value.
    fn show(&self) -> String;

    /// Takes what is written.
    fn set(&mut self, text: &str) -> Result<(), Refusal>;

    /// Whether each further time adds to what was given before, instead of replacing it.
    fn adds(&self) -> bool {
        false
    }
}

impl Value for bool {
    fn form(&self) -> &'static str {
        ""
    }

    fn show(&self) -> String {
        self.to_string()
    }

    fn set(&mut self, text: &str) -> Result<(), Refusal> {
        *self = number::boolean(text).ok_or_else(|| Refusal::now("parse error"))?;
        Ok(())
    }
}

impl Value for String {
    fn form(&self) -> &'static str {
        "TEXT"
    }

    fn show(&self) -> String {
        self.clone()
    }

    fn set(&mut self, text: &str) -> Result<(), Refusal> {
        text.clone_into(self);
        Ok(())
    }
}

impl Value for Option<String> {
    fn form(&self) -> &'static str {
        "TEXT"
    }

    fn show(&self) -> String {
        self.clone().unwrap_or_default()
    }

    fn set(&mut self, text: &str) -> Result<(), Refusal> {
        *self = (!text.is_empty()).then(|| text.to_owned());
        Ok(())
    }
}

impl Value for Option<PathBuf> {
    fn form(&self) -> &'static str {
        "FILE"
    }

    fn show(&self) -> String {
        self.as_ref().map(|path| path.display().to_string()).unwrap_or_default()
    }

    fn set(&mut self, text: &str) -> Result<(), Refusal> {
        *self = (!text.is_empty()).then(|| PathBuf::from(text));
        Ok(())
    }
}

/// Less than nothing is taken as nothing.
impl Value for Duration {
    fn form(&self) -> &'static str {
        "DURATION"
    }

    fn show(&self) -> String {
        duration::show(*self)
    }

    fn set(&mut self, text: &str) -> Result<(), Refusal> {
        let nanoseconds = duration::parse(text).ok_or_else(|| Refusal::now("parse error"))?;
        *self = Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or_default());
        Ok(())
    }
}

impl Value for f64 {
    fn form(&self) -> &'static str {
        "NUMBER"
    }

    fn show(&self) -> String {
        self.to_string()
    }

    fn set(&mut self, text: &str) -> Result<(), Refusal> {
        *self = number::float(text).map_err(|problem| Refusal::now(&problem))?;
        Ok(())
    }
}

/// An empty text is a member too.
impl Value for BTreeSet<String> {
    fn form(&self) -> &'static str {
        "LIST"
    }

    fn show(&self) -> String {
        self.iter().map(String::as_str).collect::<Vec<_>>().join(",")
    }

    fn set(&mut self, text: &str) -> Result<(), Refusal> {
        self.extend(text.split(',').map(str::to_owned));
        Ok(())
    }

    fn adds(&self) -> bool {
        true
    }
}

impl Value for BTreeMap<String, String> {
    fn form(&self) -> &'static str {
        "KEY=VALUE,…"
    }

    fn show(&self) -> String {
        self.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(",")
    }

    fn set(&mut self, text: &str) -> Result<(), Refusal> {
        if text.is_empty() {
            return Ok(());
        }
        for pair in text.split(',') {
            let (key, value) = pair
                .split_once('=')
                .ok_or_else(|| Refusal::Now(format!("invalid key=value pair: {}", Quoted(pair))))?;
            self.insert(key.to_owned(), value.to_owned());
        }
        Ok(())
    }

    fn adds(&self) -> bool {
        true
    }
}

/// An empty text changes nothing. The amount stays as it is written; the API server writes it its own way.
impl Value for Quantity {
    fn form(&self) -> &'static str {
        "AMOUNT"
    }

    fn show(&self) -> String {
        self.0.clone()
    }

    fn set(&mut self, text: &str) -> Result<(), Refusal> {
        if text.is_empty() {
            return Ok(());
        }
        quantity::check(text).map_err(|problem| Refusal::now(&problem))?;
        *self = Quantity(text.to_owned());
        Ok(())
    }
}
