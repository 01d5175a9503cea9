//! The grammar of the command line: `--flag=value`, `--flag value`, `--switch`, `--no-switch`. Pure.

use std::collections::BTreeMap;

use super::Error;
use super::table::{Flag, Kind, TABLE};

/// What was given for each flag, before anything is known about its type.
#[derive(Debug, Default)]
pub(super) struct Words {
    values: BTreeMap<&'static str, Vec<String>>,
    switches: BTreeMap<&'static str, bool>,
}

impl Words {
    /// Reads the arguments behind the program's name.
    pub(super) fn read(arguments: impl IntoIterator<Item = String>) -> Result<Self, Error> {
        let mut words = Self::default();
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let Some(word) = argument.strip_prefix("--").filter(|word| !word.is_empty()) else {
                return Err(Error::Unexpected(argument));
            };
            let (name, value) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (word, None),
            };
            let (flag, on) = find(name).ok_or_else(|| Error::Unknown(name.into()))?;
            match (flag.kind, value) {
                (Kind::Switch, None) => words.switch(flag, on)?,
                (Kind::Switch, Some(_)) => return Err(Error::Valued(flag.name)),
                (Kind::Value | Kind::Repeated, value) => {
                    let value = value
                        .or_else(|| arguments.next().filter(|next| next == "-" || !next.starts_with('-')))
                        .ok_or(Error::Missing(flag.name))?;
                    words.value(flag, value)?;
                }
            }
        }
        Ok(words)
    }

    fn switch(&mut self, flag: &'static Flag, on: bool) -> Result<(), Error> {
        self.switches.insert(flag.name, on).map_or(Ok(()), |_| Err(Error::Repeated(flag.name)))
    }

    fn value(&mut self, flag: &'static Flag, value: String) -> Result<(), Error> {
        let given = self.values.entry(flag.name).or_default();
        if flag.kind == Kind::Value && !given.is_empty() {
            return Err(Error::Repeated(flag.name));
        }
        given.push(value);
        Ok(())
    }

    /// Whether a switch is on.
    pub(super) fn is_on(&self, name: &str) -> bool {
        self.switches.get(name).copied().unwrap_or_default()
    }

    /// Whether a flag was given at all.
    pub(super) fn has(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// The value of a flag, or its default.
    pub(super) fn one(&self, name: &'static str) -> String {
        match self.values.get(name).and_then(|given| given.first()) {
            Some(value) => value.clone(),
            None => find(name).map(|(flag, _)| flag.default.to_owned()).unwrap_or_default(),
        }
    }

    /// All values of a flag.
    pub(super) fn all(&self, name: &str) -> Vec<String> {
        self.values.get(name).cloned().unwrap_or_default()
    }
}

/// The flag of this name, and whether a switch is meant to be on.
fn find(name: &str) -> Option<(&'static Flag, bool)> {
    let named = |name: &str| TABLE.iter().find(|flag| flag.name == name);
    named(name).map(|flag| (flag, true)).or_else(|| {
        let flag = named(name.strip_prefix("no-")?).filter(|flag| flag.kind == Kind::Switch)?;
        Some((flag, false))
    })
}
