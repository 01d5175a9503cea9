//! The groups of the suite: each runs on a separate lab, because they install the operator in different ways. Pure.

/// Tests of the suite that are run together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Group {
    /// What a person calls it.
    pub(crate) name: &'static str,
    /// The test of the suite that holds its tests, by its levels.
    within: &'static [&'static str],
    /// Which tests of that, as a regular expression.
    tests: &'static str,
    /// Which of these are in another group.
    except: Option<&'static str>,
    /// How many run at once. More than this, and they disturb each other on two processors.
    pub(crate) parallel: u8,
    /// After how many minutes it is ended.
    pub(crate) limit: u16,
    /// On how many nodes: topology needs two zones.
    pub(crate) nodes: u8,
    /// Whether the definitions are there before the first test: some tests need one and do not bring it along.
    pub(crate) definitions_first: bool,
}

/// What most groups are.
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
    let asked = |group: &&Group| names.iter().any(|name| name == "all" || name == group.name);
    ALL.iter().filter(asked).copied().collect()
}

impl Group {
    /// The test of the suite that holds its tests.
    pub(crate) fn prefix(&self) -> String {
        self.within.join("/")
    }

    /// Which tests of the suite to run, for its `-test.run`: all of the group, or those that a person asks for.
    pub(crate) fn pattern(&self, asked: Option<&str>) -> String {
        let levels: Vec<String> = self.within.iter().map(|level| exactly(level)).collect();
        format!("{}/{}", levels.join("/"), asked.unwrap_or(self.tests))
    }

    /// Which of these to leave out, for its `-test.skip`.
    pub(crate) fn left_out(&self) -> Option<String> {
        self.except.map(|except| self.pattern(Some(except)))
    }
}

/// A pattern for one test and nothing else.
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
    fn all_are_every_one_in_order_and_names_are_their_own() {
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
    fn what_one_group_leaves_out_another_runs() {
        for group in ALL.iter().filter(|group| group.except.is_some()) {
            let runs = |other: &&Group| group.left_out() == Some(other.pattern(None));
            assert!(ALL.iter().any(|other| runs(&other)), "{}", group.name);
        }
    }
}
