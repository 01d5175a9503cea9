//! Valid names of labels: any text since Prometheus 3, before that letters, digits and underscores.

use formats::version::Version;

/// Rules for names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// Letters, digits and underscores, not starting with a digit.
    Legacy,
    /// Any text that is not empty.
    Utf8,
}

impl Scheme {
    /// The rules of a version of Prometheus.
    pub fn of(version: &Version) -> Self {
        if *version >= Version::new(3, 0, 0) { Self::Utf8 } else { Self::Legacy }
    }

    /// Whether a label can have this name.
    pub fn allows(self, name: &str) -> bool {
        match self {
            Self::Utf8 => !name.is_empty(),
            Self::Legacy => {
                !name.starts_with(|first: char| first.is_ascii_digit())
                    && !name.is_empty()
                    && name.bytes().all(is_word)
            }
        }
    }

    /// Whether a template such as `a_$1_${name}` can become the name of a label.
    pub(crate) fn allows_template(self, template: &str) -> bool {
        match self {
            Self::Utf8 => self.allows(template),
            Self::Legacy => is_legacy_template(template),
        }
    }
}

fn is_legacy_template(template: &str) -> bool {
    if template.is_empty() || template.starts_with(|first: char| first.is_ascii_digit()) {
        return false;
    }
    let mut pieces = template.split('$');
    let begins_well = pieces.next().is_some_and(|text| text.bytes().all(is_word));
    begins_well && pieces.all(is_variable_and_text)
}

/// The text after a dollar sign: the name of a variable, with or without braces, then more of a name.
fn is_variable_and_text(piece: &str) -> bool {
    let braced = piece.strip_prefix('{').map(|rest| rest.split_once('}'));
    let (variable, text) = match braced {
        Some(Some((variable, text))) => (variable, text),
        Some(None) => return false,
        None => (piece, ""),
    };
    !variable.is_empty() && variable.bytes().chain(text.bytes()).all(is_word)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_version() {
        let of = |text: &str| Scheme::of(&formats::version::parse(text).unwrap());
        assert_eq!(
            [of("2.55.1"), of("3.0.0-rc.0"), of("3.0.0")],
            [Scheme::Legacy, Scheme::Legacy, Scheme::Utf8]
        );
        for (name, legacy, utf8) in [
            ("", false, false),
            ("job", true, true),
            ("__tmp_1", true, true),
            ("1st", false, true),
            ("a-b", false, true),
            ("测试", false, true),
        ] {
            assert_eq!((Scheme::Legacy.allows(name), Scheme::Utf8.allows(name)), (legacy, utf8), "{name}");
        }
    }

    #[test]
    fn templates_name_variables() {
        for good in ["a", "$1", "${1}", "a_$1", "${name}_b1", "$a$b", "_${a}2"] {
            assert!(Scheme::Legacy.allows_template(good), "{good}");
        }
        for bad in ["", "1a", "$", "a$", "${}", "${a", "$-", "a-b", "${a}-", "${a-b}"] {
            assert!(!Scheme::Legacy.allows_template(bad), "{bad}");
        }
        assert!(Scheme::Utf8.allows_template("a-${"));
    }
}
