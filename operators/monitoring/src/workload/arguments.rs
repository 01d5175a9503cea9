//! The command line of a container: the flags that the operator sets, then those that the user adds. A flag may not come
//! from both, and a flag that the version does not have is left out: it would keep the container from starting.

use std::collections::BTreeSet;

use api_monitoring::pod::Argument;
use formats::prometheus::UnsupportedField;
use formats::version::Version;

/// Flags that the user adds and that the operator sets itself.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("can't set arguments which are already managed by the operator: {}", .flags.join(","))]
pub struct Collision {
    /// The flags of the operator, in the order in which the user repeats them.
    pub flags: Vec<String>,
}

/// The versions that have a flag, or a value of a flag (`flag=value`).
#[derive(Debug, Clone, Copy)]
pub(crate) struct FlagVersions {
    flag: &'static str,
    /// Major and minor number of the first version that has it.
    since: (u64, u64),
    /// Major and minor number of the first version that no longer has it.
    until: Option<(u64, u64)>,
}

/// A flag that all versions from this one on have.
pub(crate) const fn since(flag: &'static str, major: u64, minor: u64) -> FlagVersions {
    FlagVersions { flag, since: (major, minor), until: None }
}

impl FlagVersions {
    /// The same flag, which versions from this one on no longer have.
    pub(crate) const fn until(self, major: u64, minor: u64) -> Self {
        Self { until: Some((major, minor)), ..self }
    }

    /// The versions that have the flag, if this one does not.
    fn other_than(&self, version: &Version) -> Option<String> {
        let is_before = |(major, minor)| *version < Version::new(major, minor, 0);
        if is_before(self.since) {
            return Some(format!("{}.{} or later", self.since.0, self.since.1));
        }
        let (major, minor) = self.until.filter(|until| !is_before(*until))?;
        Some(format!("before {major}.{minor}"))
    }
}

/// The flags of a container, collected for one version of its application.
#[derive(Debug)]
pub(crate) struct Flags<'v> {
    version: &'v Version,
    /// The flags that not every version has.
    versions: &'static [FlagVersions],
    /// The flags that the version has.
    pub(crate) arguments: Vec<Argument>,
    /// The flags that it does not have.
    pub(crate) left_out: Vec<UnsupportedField>,
}

impl<'v> Flags<'v> {
    /// No flags yet.
    pub(crate) fn new(version: &'v Version, versions: &'static [FlagVersions]) -> Self {
        Self { version, versions, arguments: Vec::new(), left_out: Vec::new() }
    }

    /// Adds a flag with a value.
    pub(crate) fn put(&mut self, flag: &str, value: impl Into<String>) {
        if self.has(flag) {
            self.arguments.push(argument(flag, value));
        }
    }

    /// Adds a flag without a value.
    pub(crate) fn flag(&mut self, flag: &str) {
        self.put(flag, "");
    }

    /// Adds a flag with a text, unless the text is empty.
    pub(crate) fn put_text(&mut self, flag: &str, text: &str) {
        if !text.is_empty() {
            self.put(flag, text);
        }
    }

    /// Adds a flag with a value, if there is one.
    pub(crate) fn put_some(&mut self, flag: &str, value: Option<impl ToString>) {
        if let Some(value) = value {
            self.put(flag, value.to_string());
        }
    }

    /// Adds a flag once for each value.
    pub(crate) fn put_all(&mut self, flag: &str, values: &[String]) {
        for value in values {
            self.put(flag, value);
        }
    }

    /// Turns a feature on.
    pub(crate) fn feature(&mut self, feature: &str) {
        if self.has(&format!("enable-feature={feature}")) {
            self.put("enable-feature", feature);
        }
    }

    /// Whether the version has a flag. A missing flag is recorded in `left_out`.
    pub(crate) fn has(&mut self, flag: &str) -> bool {
        let row = self.versions.iter().find(|row| row.flag == flag);
        let versions = row.and_then(|row| row.other_than(self.version));
        let has = versions.is_none();
        let unsupported = |versions| UnsupportedField { field: format!("--{flag}"), versions };
        self.left_out.extend(versions.map(unsupported));
        has
    }
}

/// A flag with a value; without one, if it is empty.
pub fn argument(name: &str, value: impl Into<String>) -> Argument {
    Argument { name: name.to_owned(), value: value.into() }
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
    let same = |Argument { name, .. }: &Argument| {
        let negated = name.strip_prefix("no-").map_or_else(|| format!("no-{name}"), str::to_owned);
        [name.clone(), negated].into_iter().find(|name| own.contains(name.as_str()))
    };
    additional.iter().filter_map(same).collect()
}

fn written(Argument { name, value }: &Argument) -> String {
    if value.is_empty() { format!("--{name}") } else { format!("--{name}={value}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VERSIONS: &[FlagVersions] = &[since("overlapping", 2, 11).until(2, 39)];

    #[test]
    fn a_flag_is_there_from_its_first_version_to_its_last() {
        for (version, versions) in [
            ("2.10.9", Some("2.11 or later")),
            ("2.11.0-rc.1", Some("2.11 or later")),
            ("2.11.0", None),
            ("2.38.9", None),
            ("2.39.0", Some("before 2.39")),
        ] {
            let parsed = formats::version::parse(version).unwrap();
            let mut flags = Flags::new(&parsed, VERSIONS);
            flags.flag("overlapping");
            let left_out = |versions: &str| UnsupportedField {
                field: "--overlapping".into(),
                versions: versions.into(),
            };
            assert_eq!(flags.left_out, versions.map(left_out).into_iter().collect::<Vec<_>>(), "{version}");
            assert_eq!(flags.arguments.is_empty(), versions.is_some(), "{version}");
        }
    }

    fn flag(name: &str) -> Argument {
        argument(name, "")
    }

    #[test]
    fn flags_of_the_operator_come_first_and_empty_values_are_omitted() {
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
    fn users_may_repeat_their_own_flags() {
        let built = build(&[], &[argument("a", "1"), argument("a", "2")]);
        assert_eq!(built, Ok(vec!["--a=1".to_owned(), "--a=2".to_owned()]));
    }
}
