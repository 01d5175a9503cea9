//! Command lines as Go parses them: flags until the first word, each set as soon as it is seen.

use std::collections::BTreeMap;

use crate::flags::error::FlagError;
use crate::flags::flag::{Flag, Groups};
use crate::flags::value::{RejectedValue, boolean};

/// A flag that only this program has, not the peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnFlag<'n> {
    /// Its name, without dashes.
    pub name: &'n str,
    /// Whether it takes a value; otherwise it is a switch.
    pub takes_value: bool,
}

/// What is left of a command line when the flags of the peer are parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rest {
    /// Flags that only this program has.
    pub(crate) own: Vec<String>,
    /// The words after the flags.
    pub(crate) words: Vec<String>,
    /// Values with which the program cannot start.
    pub(crate) rejected: RejectedFlags,
}

/// Values with which the program cannot start, by the name of their flag.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RejectedFlags(BTreeMap<&'static str, String>);

impl RejectedFlags {
    /// The first of them, as an error.
    pub(crate) fn check(self) -> Result<(), FlagError> {
        self.0.into_values().next().map_or(Ok(()), |problem| Err(FlagError::Start(problem)))
    }
}

/// An argument of a command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Argument<'t> {
    /// A flag.
    Flag {
        /// Without its dashes.
        name: &'t str,
        /// The text after the equals sign, if there is one.
        value: Option<&'t str>,
    },
    /// `--`: what follows are words.
    End,
    /// A word: what follows are words too.
    Word,
    /// It starts like a flag but is none.
    Malformed,
}

impl<'t> Argument<'t> {
    /// Parses an argument. One dash means the same as two.
    fn of(text: &'t str) -> Self {
        let Some(after) = text.strip_prefix('-').filter(|after| !after.is_empty()) else { return Self::Word };
        let name = after.strip_prefix('-').unwrap_or(after);
        if name.is_empty() {
            return Self::End;
        }
        if name.starts_with(['-', '=']) {
            return Self::Malformed;
        }
        match name.split_once('=') {
            Some((name, value)) => Self::Flag { name, value: Some(value) },
            None => Self::Flag { name, value: None },
        }
    }
}

/// Parses a command line of the peer's flags and of some flags of ours. It returns nothing if help is requested.
pub(crate) fn parse(
    flags: &mut Groups<'_>,
    own_flags: &[OwnFlag<'_>],
    arguments: &[&str],
) -> Result<Option<Rest>, FlagError> {
    let (mut rest, mut own, mut rejected) = (arguments, Vec::new(), RejectedFlags::default());
    while let [argument, after @ ..] = rest {
        let (name, value) = match Argument::of(argument) {
            Argument::Word => break,
            Argument::End => {
                rest = after;
                break;
            }
            Argument::Malformed => return Err(FlagError::Syntax((*argument).to_owned())),
            Argument::Flag { name, value } => (name, value),
        };
        rest = after;
        if let Some(flag) = flags.find(name) {
            set(flag, value, &mut rest, &mut rejected)?;
        } else if let Some(flag) = own_flags.iter().find(|flag| flag.name == name) {
            keep(&mut own, *flag, value, &mut rest)?;
        } else if matches!(name, "h" | "help") {
            return Ok(None);
        } else {
            return Err(FlagError::Undefined(name.to_owned()));
        }
    }
    Ok(Some(Rest { own, words: rest.iter().map(|&word| word.to_owned()).collect(), rejected }))
}

/// Parses the peer's flags wherever they are before a `--`, and returns all other arguments as they are. Flags named in
/// `kept` are other arguments too.
pub(crate) fn take(
    flags: &mut Groups<'_>,
    kept: &[&str],
    arguments: &[&str],
) -> Result<Vec<String>, FlagError> {
    let (mut rest, mut others, mut rejected) = (arguments, Vec::new(), RejectedFlags::default());
    while let [argument, after @ ..] = rest {
        let flag = match Argument::of(argument) {
            Argument::End => break,
            Argument::Flag { name, value } if !kept.contains(&name) => flags.find(name).zip(Some(value)),
            Argument::Flag { .. } | Argument::Word | Argument::Malformed => None,
        };
        rest = after;
        match flag {
            Some((flag, value)) => set(flag, value, &mut rest, &mut rejected)?,
            None => others.push((*argument).to_owned()),
        }
    }
    rejected.check()?;
    others.extend(rest.iter().map(|&argument| argument.to_owned()));
    Ok(others)
}

/// Sets a flag. Its value may be the next argument, unless it is a switch.
fn set<'a>(
    flag: &mut Flag<'_>,
    value: Option<&'a str>,
    rest: &mut &[&'a str],
    rejected: &mut RejectedFlags,
) -> Result<(), FlagError> {
    let name = flag.name;
    if flag.value.form().is_empty() {
        let value = value.unwrap_or("true");
        return flag.value.set(value).map_err(|_| FlagError::switch(name, value));
    }
    let value = value_or_next(name, value, rest)?;
    if !flag.value.adds() {
        // The new value replaces the old one and its error.
        rejected.0.remove(name);
    }
    match flag.value.set(value) {
        Ok(()) => Ok(()),
        Err(RejectedValue::Parse(problem)) => {
            Err(FlagError::Value { flag: name.to_owned(), value: value.to_owned(), problem })
        }
        Err(RejectedValue::Start(problem)) => {
            rejected.0.entry(name).or_insert(problem);
            Ok(())
        }
    }
}

/// Keeps a flag that only this program has, with two dashes. The last value of a switch is used.
fn keep<'a>(
    own: &mut Vec<String>,
    OwnFlag { name, takes_value }: OwnFlag<'_>,
    value: Option<&'a str>,
    rest: &mut &[&'a str],
) -> Result<(), FlagError> {
    if takes_value {
        own.push(format!("--{name}={}", value_or_next(name, value, rest)?));
        return Ok(());
    }
    let (switch, value) = (format!("--{name}"), value.unwrap_or("true"));
    own.retain(|other| *other != switch);
    if boolean(value).ok_or_else(|| FlagError::switch(name, value))? {
        own.push(switch);
    }
    Ok(())
}

fn value_or_next<'a>(
    name: &str,
    value: Option<&'a str>,
    rest: &mut &[&'a str],
) -> Result<&'a str, FlagError> {
    if let Some(value) = value {
        return Ok(value);
    }
    let [next, after @ ..] = *rest else { return Err(FlagError::Incomplete(name.to_owned())) };
    *rest = after;
    Ok(next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_classified() {
        for (text, expected) in [
            ("", Argument::Word),
            ("-", Argument::Word),
            ("start", Argument::Word),
            ("a=b", Argument::Word),
            ("--", Argument::End),
            ("---", Argument::Malformed),
            ("---a", Argument::Malformed),
            ("-=", Argument::Malformed),
            ("--=a", Argument::Malformed),
            ("-a", Argument::Flag { name: "a", value: None }),
            ("--a", Argument::Flag { name: "a", value: None }),
            ("-a-", Argument::Flag { name: "a-", value: None }),
            ("-a=", Argument::Flag { name: "a", value: Some("") }),
            ("--a=b=c", Argument::Flag { name: "a", value: Some("b=c") }),
        ] {
            assert_eq!(Argument::of(text), expected, "{text}");
        }
    }
}
