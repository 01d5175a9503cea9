//! Which namespaces are looked at for what.

use std::collections::BTreeSet;

use crate::flags::scope::Scope;

/// Some namespaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Namespaces {
    /// All but some.
    All {
        /// Those that are left out.
        but: BTreeSet<String>,
    },
    /// Only some.
    Only(BTreeSet<String>),
}

impl Namespaces {
    /// Whether a namespace is among them.
    pub fn contains(&self, namespace: &str) -> bool {
        match self {
            Self::All { but } => !but.contains(namespace),
            Self::Only(some) => some.contains(namespace),
        }
    }

    /// Those that are among these or among others.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::All { but }, other) | (other, Self::All { but }) => {
                Self::All { but: but.into_iter().filter(|name| !other.contains(name)).collect() }
            }
            (Self::Only(some), Self::Only(others)) => Self::Only(some.into_iter().chain(others).collect()),
        }
    }
}

/// Among names of namespaces, an empty one stands for all.
const ALL: &str = "";

impl Scope {
    /// Where objects are looked for that many may use: monitors, probes, scrape configurations, rules.
    pub fn shared(&self) -> Namespaces {
        self.resolved(&self.allowed())
    }

    /// Where a Prometheus or PrometheusAgent may be.
    pub fn prometheus_namespaces(&self) -> Namespaces {
        self.resolved(&self.own_or_allowed(&self.prometheus_namespaces))
    }

    /// Where an Alertmanager may be.
    pub fn alertmanager_namespaces(&self) -> Namespaces {
        self.resolved(&self.own_or_allowed(&self.alertmanager_namespaces))
    }

    /// Where AlertmanagerConfigs may be.
    pub fn alertmanager_config_namespaces(&self) -> Namespaces {
        self.resolved(&self.own_or_allowed(&self.alertmanager_config_namespaces))
    }

    /// Where a ThanosRuler, and the Secrets and ConfigMaps that it points to, may be.
    pub fn thanos_ruler_namespaces(&self) -> Namespaces {
        self.resolved(&self.own_or_allowed(&self.thanos_ruler_namespaces))
    }

    /// Where Secrets and ConfigMaps are watched for Prometheus and PrometheusAgent.
    pub fn prometheus_references(&self) -> Namespaces {
        self.references(self.own_or_allowed(&self.prometheus_namespaces), &self.allowed())
    }

    /// Where Secrets and ConfigMaps are watched for Alertmanagers.
    pub fn alertmanager_references(&self) -> Namespaces {
        let configurations = self.own_or_allowed(&self.alertmanager_config_namespaces);
        self.references(configurations, &self.own_or_allowed(&self.alertmanager_namespaces))
    }

    /// One set, or two if they shall be watched everywhere.
    fn references(&self, one: BTreeSet<String>, other: &BTreeSet<String>) -> Namespaces {
        if !self.references_everywhere || is_all(&one) {
            return self.resolved(&one);
        }
        if is_all(other) {
            return self.resolved(other);
        }
        self.resolved(&one.into_iter().chain(other.iter().cloned()).collect())
    }

    fn own_or_allowed(&self, own: &BTreeSet<String>) -> BTreeSet<String> {
        if own.is_empty() { self.allowed() } else { own.clone() }
    }

    fn allowed(&self) -> BTreeSet<String> {
        if self.namespaces.is_empty() {
            return BTreeSet::from([ALL.to_owned()]);
        }
        self.namespaces.clone()
    }

    /// What a set of names means. Some are left out only where nothing but all is asked for.
    fn resolved(&self, names: &BTreeSet<String>) -> Namespaces {
        if is_all(names) {
            let but = self.deny_namespaces.iter().filter(|name| *name != ALL).cloned().collect();
            return Namespaces::All { but };
        }
        if names.contains(ALL) {
            return Namespaces::All { but: BTreeSet::new() };
        }
        Namespaces::Only(names.clone())
    }
}

/// Whether nothing but all is asked for.
fn is_all(names: &BTreeSet<String>) -> bool {
    names.len() == 1 && names.contains(ALL)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn all_but(names: &[&str]) -> Namespaces {
        Namespaces::All { but: set(names) }
    }

    fn only(names: &[&str]) -> Namespaces {
        Namespaces::Only(set(names))
    }

    #[test]
    fn without_flags_it_is_all_of_them() {
        let scope = Scope::default();
        let everywhere = [
            scope.shared(),
            scope.prometheus_namespaces(),
            scope.alertmanager_namespaces(),
            scope.alertmanager_config_namespaces(),
            scope.thanos_ruler_namespaces(),
            scope.prometheus_references(),
            scope.alertmanager_references(),
        ];
        assert_eq!(everywhere, [(); 7].map(|()| all_but(&[])));
    }

    #[test]
    fn names_are_taken_at_their_word() {
        for (names, denied, expected) in [
            (&["a", "b"][..], &[][..], only(&["a", "b"])),
            (&[], &["a"], all_but(&["a"])),
            (&[""], &[], all_but(&[])),
            (&["", "a"], &[], all_but(&[])),
            (&[], &[""], all_but(&[])),
        ] {
            let scope = Scope { namespaces: set(names), deny_namespaces: set(denied), ..Scope::default() };
            assert_eq!(scope.shared(), expected, "{names:?} {denied:?}");
        }
    }

    #[test]
    fn names_for_a_kind_win_over_what_is_said_for_all() {
        let scope = Scope {
            deny_namespaces: set(&["a", "x"]),
            prometheus_namespaces: set(&["a"]),
            alertmanager_namespaces: set(&["b"]),
            alertmanager_config_namespaces: set(&["c"]),
            thanos_ruler_namespaces: set(&["d"]),
            ..Scope::default()
        };
        assert_eq!(scope.prometheus_namespaces(), only(&["a"]));
        assert_eq!(scope.alertmanager_namespaces(), only(&["b"]));
        assert_eq!(scope.alertmanager_config_namespaces(), only(&["c"]));
        assert_eq!(scope.thanos_ruler_namespaces(), only(&["d"]));
        assert_eq!(scope.shared(), all_but(&["a", "x"]));
    }

    #[test]
    fn references_are_watched_on_one_side_or_on_both() {
        let one_side = Scope {
            namespaces: set(&["a"]),
            prometheus_namespaces: set(&["b"]),
            alertmanager_namespaces: set(&["c"]),
            alertmanager_config_namespaces: set(&["d"]),
            ..Scope::default()
        };
        assert_eq!(one_side.prometheus_references(), only(&["b"]));
        assert_eq!(one_side.alertmanager_references(), only(&["d"]));

        let both_sides = Scope { references_everywhere: true, ..one_side };
        assert_eq!(both_sides.prometheus_references(), only(&["a", "b"]));
        assert_eq!(both_sides.alertmanager_references(), only(&["c", "d"]));

        let all = Scope { namespaces: set(&[]), deny_namespaces: set(&["x"]), ..both_sides };
        assert_eq!(all.prometheus_references(), all_but(&["x"]));
    }

    #[test]
    fn two_sets_are_joined() {
        for (one, other, joined) in [
            (only(&["a"]), only(&["b"]), only(&["a", "b"])),
            (only(&["a"]), all_but(&["a", "b"]), all_but(&["b"])),
            (all_but(&["a", "b"]), all_but(&["b", "c"]), all_but(&["b"])),
            (all_but(&[]), only(&["a"]), all_but(&[])),
        ] {
            assert_eq!(one.clone().or(other.clone()), joined);
            assert_eq!(other.or(one), joined);
        }
    }

    #[test]
    fn membership_is_what_the_names_say() {
        for (namespaces, inside) in [(all_but(&["a"]), false), (only(&["a"]), true)] {
            assert_eq!((namespaces.contains("a"), namespaces.contains("b")), (inside, !inside));
        }
    }
}
