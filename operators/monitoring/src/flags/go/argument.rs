//! One argument of a command line.

/// What an argument is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Argument<'t> {
    /// A flag.
    Flag {
        /// Without its dashes.
        name: &'t str,
        /// What stands behind an equals sign, if there is one.
        value: Option<&'t str>,
    },
    /// There are no flags behind it.
    End,
    /// No flag; nor is there one behind it.
    Word,
    /// It begins as a flag does and is none.
    Malformed,
}

impl<'t> Argument<'t> {
    /// Looks at an argument. One dash is as good as two.
    pub(crate) fn of(text: &'t str) -> Self {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_told_apart() {
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
