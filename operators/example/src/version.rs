//! Versions of the application: which follows which. Pure.

use std::fmt;

/// All released versions, oldest first. Data are migrated from one to the next.
const RELEASED: [[u64; 3]; 3] = [[0, 0, 1], [0, 0, 2], [0, 1, 0]];

/// A version, as in `0.1.0` or `0.1.0-rc.1`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    numbers: [u64; 3],
    text: String,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Why one version cannot follow another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VersionGap {
    /// It is older.
    Downgrade,
    /// There is one between them.
    Skips(String),
}

impl Version {
    /// Parses a version; `None` if the text is not one.
    pub fn parse(text: &str) -> Option<Self> {
        let base = text.split_once('-').map_or(text, |(base, _)| base);
        let mut parts = base.split('.').map(|part| part.parse().ok());
        let numbers = [parts.next()??, parts.next()??, parts.next()??];
        parts.next().is_none().then(|| Self { numbers, text: text.into() })
    }

    /// Whether `next` can follow this version: forward, one minor version at a time, and over no released version.
    pub fn leads_to(&self, next: &Self) -> Result<(), VersionGap> {
        let [major, minor, _] = self.numbers;
        if next.numbers < self.numbers {
            return Err(VersionGap::Downgrade);
        }
        let between = RELEASED.iter().find(|released| **released > self.numbers && **released < next.numbers);
        if let Some([major, minor, patch]) = between {
            return Err(VersionGap::Skips(format!("{major}.{minor}.{patch}")));
        }
        if next.numbers[0] > major || next.numbers[1] > minor.saturating_add(1) {
            return Err(VersionGap::Skips(format!("{major}.{}.0", minor.saturating_add(1))));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upgrade_is_one_step_forward() {
        let leads =
            |from: &str, to: &str| Version::parse(from).unwrap().leads_to(&Version::parse(to).unwrap());
        for (from, to) in
            [("0.0.1", "0.0.2"), ("0.0.2", "0.1.0"), ("0.0.1", "0.0.2-never-ready"), ("0.1.0", "0.2.3")]
        {
            assert_eq!(leads(from, to), Ok(()), "{from} {to}");
        }
        assert_eq!(leads("0.1.0", "0.0.2"), Err(VersionGap::Downgrade));
        assert_eq!(leads("0.0.1", "0.1.0"), Err(VersionGap::Skips("0.0.2".into())));
        assert_eq!(leads("0.1.0", "0.3.0"), Err(VersionGap::Skips("0.2.0".into())));
        assert_eq!(leads("0.1.0", "1.0.0"), Err(VersionGap::Skips("0.2.0".into())));
    }

    #[test]
    fn a_text_that_is_not_a_version_is_not_parsed() {
        for text in ["", "1", "1.2", "1.2.3.4", "v1.2.3", "1.2.x"] {
            assert_eq!(Version::parse(text), None, "{text}");
        }
    }
}
