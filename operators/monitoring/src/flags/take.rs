//! The peer's flags picked out of a command line that has others too. What is not picked stays as it is, in its order, for
//! another reader.

use crate::flags::error::Error;
use crate::flags::flag::Groups;
use crate::flags::go::argument::Argument;
use crate::flags::line::{Refused, find, set};

/// Reads flags into groups and returns all other arguments. Flags named in `kept` are others too.
pub(crate) fn take(groups: &mut Groups<'_>, kept: &[&str], arguments: &[&str]) -> Result<Vec<String>, Error> {
    let (mut rest, mut others, mut refused) = (arguments, Vec::new(), Refused::default());
    while let [argument, after @ ..] = rest {
        let flag = match Argument::of(argument) {
            Argument::End => break,
            Argument::Flag { name, value } if !kept.contains(&name) => Some((name, value)),
            Argument::Flag { .. } | Argument::Word | Argument::Malformed => None,
        };
        rest = after;
        match flag.and_then(|(name, value)| Some((find(groups, name)?, value))) {
            Some(((name, field), value)) => set(field, name, value, &mut rest, &mut refused)?,
            None => others.push((*argument).to_owned()),
        }
    }
    refused.check()?;
    others.extend(rest.iter().map(|argument| (*argument).to_owned()));
    Ok(others)
}
