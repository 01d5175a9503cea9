//! A command line walked over as Go walks over it: flags until the first word, each set as soon as it is seen.

use std::collections::BTreeMap;

use crate::flags::command::OwnFlag;
use crate::flags::error::Error;
use crate::flags::flag::Groups;
use crate::flags::go::argument::Argument;
use crate::flags::go::number;
use crate::flags::value::{Refusal, Value};

/// What a command line left over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rest {
    /// Flags that only this program has.
    pub(crate) own: Vec<String>,
    /// What stands behind the flags.
    pub(crate) words: Vec<String>,
    /// With what nothing can start.
    pub(crate) refused: Refused,
}

/// With what nothing can start, by the name of the flag.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Refused(BTreeMap<&'static str, String>);

impl Refused {
    /// The first of them, as an error.
    pub(crate) fn check(self) -> Result<(), Error> {
        self.0.into_values().next().map_or(Ok(()), |problem| Err(Error::Start(problem)))
    }

    /// Remembers what is said about a value. A value that is replaced is forgotten with all that was wrong with it.
    fn note(&mut self, name: &'static str, adds: bool, said: Result<(), Refusal>) -> Result<(), String> {
        if !adds {
            self.0.remove(name);
        }
        match said {
            Ok(()) => Ok(()),
            Err(Refusal::Now(problem)) => Err(problem),
            Err(Refusal::AtStart(problem)) => {
                self.0.entry(name).or_insert(problem);
                Ok(())
            }
        }
    }
}

/// Reads flags into groups. Nothing is left over if help is asked for.
pub(crate) fn read(
    groups: &mut Groups<'_>,
    known: &[OwnFlag<'_>],
    arguments: &[&str],
) -> Result<Option<Rest>, Error> {
    let (mut rest, mut own, mut refused) = (arguments, Vec::new(), Refused::default());
    while let [argument, after @ ..] = rest {
        let (name, value) = match Argument::of(argument) {
            Argument::Word => break,
            Argument::End => {
                rest = after;
                break;
            }
            Argument::Malformed => return Err(Error::Syntax((*argument).to_owned())),
            Argument::Flag { name, value } => (name, value),
        };
        rest = after;
        if let Some((name, field)) = find(groups, name) {
            set(field, name, value, &mut rest, &mut refused)?;
        } else if let Some(flag) = known.iter().find(|flag| flag.name == name) {
            keep(&mut own, *flag, value, &mut rest)?;
        } else if matches!(name, "h" | "help") {
            return Ok(None);
        } else {
            return Err(Error::Undefined(name.to_owned()));
        }
    }
    let words = rest.iter().map(|word| (*word).to_owned()).collect();
    Ok(Some(Rest { own, words, refused }))
}

/// What a flag sets.
pub(crate) fn find<'g>(groups: &'g mut Groups<'_>, name: &str) -> Option<(&'static str, &'g mut dyn Value)> {
    groups.iter_mut().find_map(|group| group.field(name))
}

/// Sets a flag. Its value may be the next argument, unless it is a switch.
pub(crate) fn set<'a>(
    field: &mut dyn Value,
    name: &'static str,
    value: Option<&'a str>,
    rest: &mut &[&'a str],
    refused: &mut Refused,
) -> Result<(), Error> {
    if field.form().is_empty() {
        let value = value.unwrap_or("true");
        let refusal = |_| Error::Switch { flag: name.to_owned(), value: value.to_owned() };
        return field.set(value).map_err(refusal);
    }
    let value = value_or_next(name, value, rest)?;
    let said = field.set(value);
    refused.note(name, field.adds(), said).map_err(|problem| Error::Value {
        flag: name.to_owned(),
        value: value.to_owned(),
        problem,
    })
}

/// Keeps a flag that only this program has, with two dashes. Of a switch only the last word counts.
fn keep<'a>(
    own: &mut Vec<String>,
    flag: OwnFlag<'_>,
    value: Option<&'a str>,
    rest: &mut &[&'a str],
) -> Result<(), Error> {
    let name = flag.name;
    if flag.takes_value {
        let value = value_or_next(name, value, rest)?;
        own.push(format!("--{name}={value}"));
        return Ok(());
    }
    let value = value.unwrap_or("true");
    let on = number::boolean(value)
        .ok_or_else(|| Error::Switch { flag: name.to_owned(), value: value.to_owned() })?;
    let switch = format!("--{name}");
    own.retain(|other| *other != switch);
    if on {
        own.push(switch);
    }
    Ok(())
}

fn value_or_next<'a>(name: &str, value: Option<&'a str>, rest: &mut &[&'a str]) -> Result<&'a str, Error> {
    if let Some(value) = value {
        return Ok(value);
    }
    let [next, after @ ..] = *rest else { return Err(Error::Incomplete(name.to_owned())) };
    *rest = after;
    Ok(next)
}
