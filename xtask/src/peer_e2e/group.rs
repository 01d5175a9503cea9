//! The groups of the suite. Each runs on a separate lab, because they install the operator in different ways. Pure.

/// Tests of the suite that are run together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Group {
    /// Its name.
    pub(crate) name: &'static str,
    /// The test of the suite that contains its tests, as a path.
    within: &'static [&'static str],
    /// Its tests, as a regular expression.
    tests: &'static str,
    /// Those of its tests that belong to another group.
    except: Option<&'static str>,
    /// How many tests run at once. With more, they disturb each other on two processors.
    pub(crate) parallel: u8,
    /// The time limit in minutes.
    pub(crate) limit: u16,
    /// The number of nodes: tests of topology need two zones.
    pub(crate) nodes: u8,
    /// Whether the CRDs are created before the first test: some tests need one and do not create it.
    pub(crate) definitions_first: bool,
}

/// The defaults of a group.
const PLAIN: Group = Group {
    name: "",
    within: &[],
    tests: ".*",
    except: None,
    parallel: 4,
    limit: 60,
    nodes: 1,
    definitions_first: false,
};

/// Fails on two processors when more than two of its cases run at once.
const REMOTE_WRITE: &str = "^PromRemoteWriteWithTLS$";

/// All groups, in the order in which they are run.
pub(crate) const ALL: [Group; 13] = [
    Group {
        name: "allns-operator",
        within: &["TestAllNS"],
        tests: "^(TestServerTLS|TestPrometheusOperatorMetrics)$",
        limit: 15,
        ..PLAIN
    },
    Group { name: "alertmanager", within: &["TestAllNS", "x"], ..PLAIN },
    Group {
        name: "prometheus",
        within: &["TestAllNS", "y"],
        except: Some(REMOTE_WRITE),
        parallel: 5,
        limit: 120,
        ..PLAIN
    },
    Group { name: "remote-write", within: &["TestAllNS", "y"], tests: REMOTE_WRITE, parallel: 2, ..PLAIN },
    Group { name: "thanosruler", within: &["TestAllNS", "z"], ..PLAIN },
    Group { name: "multiple-operators", within: &["TestAllNS", "multipleOperators"], limit: 30, ..PLAIN },
    Group { name: "multins", within: &["TestMultiNS", "OperatorNSScope"], limit: 30, ..PLAIN },
    Group { name: "denylist", within: &["TestDenylist"], limit: 30, ..PLAIN },
    Group { name: "prominstancens", within: &["TestPromInstanceNs"], ..PLAIN },
    Group { name: "aminstancens", within: &["TestAlertmanagerInstanceNs"], limit: 30, ..PLAIN },
    Group { name: "repair", within: &["TestRepairPolicy", "RepairPolicy"], limit: 30, ..PLAIN },
    // Each of its tests writes the CRDs: one at a time, or they conflict.
    Group {
        name: "gated",
        within: &["TestGatedFeatures"],
        parallel: 1,
        limit: 150,
        nodes: 2,
        definitions_first: true,
        ..PLAIN
    },
    Group { name: "upgrade", within: &["TestOperatorUpgrade"], limit: 30, ..PLAIN },
];

/// Every group of this name; all of them are `all`.
pub(crate) fn named(names: &[String]) -> Vec<Group> {
    let selected = |group: &&Group| names.iter().any(|name| name == "all" || name == group.name);
    ALL.iter().filter(selected).copied().collect()
}

impl Group {
    /// The test of the suite that contains its tests.
    pub(crate) fn prefix(&self) -> String {
        self.within.join("/")
    }

    /// The pattern for `-test.run`: all tests of the group, or the selected ones.
    pub(crate) fn pattern(&self, selected: Option<&str>) -> String {
        let levels: Vec<String> = self.within.iter().map(|level| exactly(level)).collect();
        format!("{}/{}", levels.join("/"), selected.unwrap_or(self.tests))
    }

    /// The pattern of excluded tests, for `-test.skip`.
    pub(crate) fn left_out(&self) -> Option<String> {
        self.except.map(|except| self.pattern(Some(except)))
    }
}

/// The pattern for exactly one test.
pub(crate) fn alone(test: &str) -> String {
    test.split('/').map(exactly).collect::<Vec<_>>().join("/")
}

fn exactly(name: &str) -> String {
    let mut pattern = String::from("^");
    for letter in name.chars() {
        if !letter.is_ascii_alphanumeric() && letter != '_' {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern + "$"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(name: &str) -> Group {
        named(&[name.to_owned()]).remove(0)
    }

    #[test]
    fn all_selects_every_group_and_names_are_unique() {
        let all = named(&["all".to_owned()]);
        assert_eq!(all, ALL);
        let names: std::collections::BTreeSet<&str> = all.iter().map(|group| group.name).collect();
        assert_eq!(names.len(), ALL.len());
        assert_eq!(named(&["nothing".to_owned()]), []);
    }

    #[test]
    fn a_pattern_has_a_level_for_each_level_of_the_suite() {
        assert_eq!(group("alertmanager").pattern(None), "^TestAllNS$/^x$/.*");
        assert_eq!(group("alertmanager").pattern(Some("AM.*/case")), "^TestAllNS$/^x$/AM.*/case");
        assert_eq!(group("denylist").pattern(None), "^TestDenylist$/.*");
        assert_eq!(alone("TestA/x/b c-1"), r"^TestA$/^x$/^b\ c\-1$");
    }

    #[test]
    fn excluded_tests_belong_to_another_group() {
        for group in ALL.iter().filter(|group| group.except.is_some()) {
            let runs = |other: &&Group| group.left_out() == Some(other.pattern(None));
            assert!(ALL.iter().any(|other| runs(&other)), "{}", group.name);
        }
    }
}
