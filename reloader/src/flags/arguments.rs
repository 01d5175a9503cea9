//! The syntax of the command line: `--flag=value`, `--flag value`, `--switch`, `--no-switch`. Pure.

use std::collections::BTreeMap;

use super::Error;
use super::table::{Flag, Kind, TABLE};

/// The values of each flag, before their types are checked.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    values: BTreeMap<&'static str, Vec<String>>,
    switches: BTreeMap<&'static str, bool>,
}

impl Arguments {
    /// Parses the arguments, without the name of the program.
    pub(super) fn parse(words: impl IntoIterator<Item = String>) -> Result<Self, Error> {
        let mut arguments = Self::default();
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let Some(flag) = word.strip_prefix("--").filter(|flag| !flag.is_empty()) else {
                return Err(Error::Unexpected(word));
            };
            let (name, value) = match flag.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (flag, None),
            };
            let (flag, on) = find(name).ok_or_else(|| Error::Unknown(name.into()))?;
            match (flag.kind, value) {
                (Kind::Switch, None) => arguments.switch(flag, on)?,
                (Kind::Switch, Some(_)) => return Err(Error::UnexpectedValue(flag.name)),
                (Kind::Value | Kind::Repeated, value) => {
                    let value = value
                        .or_else(|| words.next().filter(|next| next == "-" || !next.starts_with('-')))
                        .ok_or(Error::Missing(flag.name))?;
                    arguments.value(flag, value)?;
                }
            }
        }
        Ok(arguments)
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

    /// Whether a flag was set.
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

/// The flag with this name; false for the `--no-` form of a switch.
fn find(name: &str) -> Option<(&'static Flag, bool)> {
    let by_name = |name: &str| TABLE.iter().find(|flag| flag.name == name);
    by_name(name).map(|flag| (flag, true)).or_else(|| {
        let flag = by_name(name.strip_prefix("no-")?).filter(|flag| flag.kind == Kind::Switch)?;
        Some((flag, false))
    })
}
