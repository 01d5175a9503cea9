//! The command line of a container: what the operator sets, then what the user adds. One flag may not come from both.

use std::collections::BTreeSet;

use api_monitoring::pod::Argument;

/// Flags that the user adds and that the operator sets itself.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("can't set arguments which are already managed by the operator: {}", .flags.join(","))]
pub struct Collision {
    /// The flags of the operator, in the order in which the user repeats them.
    pub flags: Vec<String>,
}

/// A flag with a value; without one, if that is empty.
pub fn argument(name: &str, value: impl Into<String>) -> Argument {
    Argument { name: name.to_owned(), value: value.into() }
}

/// A flag without a value.
pub fn flag(name: &str) -> Argument {
    argument(name, "")
}

/// The command line.
pub fn build(own: &[Argument], additional: &[Argument]) -> Result<Vec<String>, Collision> {
    let flags = collisions(own, additional);
    if !flags.is_empty() {
        return Err(Collision { flags });
    }
    Ok(own.iter().chain(additional).map(written).collect())
}

/// Flags of the operator that the user repeats or negates.
pub fn collisions(own: &[Argument], additional: &[Argument]) -> Vec<String> {
    let own: BTreeSet<&str> = own.iter().map(|argument| argument.name.as_str()).collect();
    additional
        .iter()
        .filter_map(|argument| {
            if own.contains(argument.name.as_str()) {
                return Some(argument.name.clone());
            }
            let negated = match argument.name.strip_prefix("no-") {
                Some(name) => name.to_owned(),
                None => format!("no-{}", argument.name),
            };
            own.contains(negated.as_str()).then_some(negated)
        })
        .collect()
}

fn written(argument: &Argument) -> String {
    if argument.value.is_empty() {
        format!("--{}", argument.name)
    } else {
        format!("--{}={}", argument.name, argument.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_operator_comes_first_and_an_empty_value_is_not_written() {
        let built = build(&[argument("b", "1"), flag("c")], &[argument("a", "x=y"), flag("d")]);
        assert_eq!(built, Ok(["--b=1", "--c", "--a=x=y", "--d"].map(str::to_owned).to_vec()));
    }

    #[test]
    fn a_flag_and_its_negation_are_the_same_flag() {
        let own = [argument("same", "1"), flag("no-off"), flag("on")];
        let additional = [flag("no-on"), flag("off"), argument("same", "2"), flag("free")];
        assert_eq!(
            build(&own, &additional).unwrap_err().to_string(),
            "can't set arguments which are already managed by the operator: on,no-off,same"
        );
    }

    #[test]
    fn a_user_may_repeat_himself() {
        let built = build(&[], &[argument("a", "1"), argument("a", "2")]);
        assert_eq!(built, Ok(vec!["--a=1".to_owned(), "--a=2".to_owned()]));
    }
}
