//! Which objects the operator watches: in which namespaces, with which labels and fields.

use std::collections::BTreeSet;

use kernel::stores::Namespaces;

use crate::flags::flag::{Flag, Group};
use crate::flags::selector::{FieldSelector, LabelSelector};

/// Which objects the operator watches. The sets of namespaces are as they are written; the methods interpret them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScopeFlags {
    /// Only these namespaces.
    pub namespaces: BTreeSet<String>,
    /// All namespaces except these.
    pub deny_namespaces: BTreeSet<String>,
    /// Namespaces of Prometheus and PrometheusAgent, if not those above.
    pub prometheus_namespaces: BTreeSet<String>,
    /// Namespaces of Alertmanager, if not those above.
    pub alertmanager_namespaces: BTreeSet<String>,
    /// Namespaces of AlertmanagerConfig, if not those above.
    pub alertmanager_config_namespaces: BTreeSet<String>,
    /// Namespaces of ThanosRuler, if not those above.
    pub thanos_ruler_namespaces: BTreeSet<String>,
    /// Whether Secrets and ConfigMaps are watched in the namespaces of workloads and in those of their configurations.
    pub references_everywhere: bool,
    /// Labels of Prometheus and PrometheusAgent.
    pub prometheus: LabelSelector,
    /// Labels of Alertmanager.
    pub alertmanager: LabelSelector,
    /// Labels of ThanosRuler.
    pub thanos_ruler: LabelSelector,
    /// Fields of Secrets.
    pub secret_fields: FieldSelector,
    /// Labels of Secrets.
    pub secret_labels: LabelSelector,
    /// Fields of ConfigMaps.
    pub config_map_fields: FieldSelector,
    /// Labels of ConfigMaps.
    pub config_map_labels: LabelSelector,
}

impl ScopeFlags {
    pub(crate) fn group(&mut self) -> Group<'_> {
        let flags = vec![
            Flag::new("namespaces", &mut self.namespaces)
                .help("Namespaces to watch. Mutually exclusive with -deny-namespaces."),
            Flag::new("deny-namespaces", &mut self.deny_namespaces)
                .help("Namespaces not to watch. Mutually exclusive with -namespaces."),
            Flag::new("prometheus-instance-namespaces", &mut self.prometheus_namespaces)
                .help("Namespaces of Prometheus and PrometheusAgent resources, instead of those above."),
            Flag::new("alertmanager-instance-namespaces", &mut self.alertmanager_namespaces)
                .help("Namespaces of Alertmanager resources, instead of those above."),
            Flag::new("alertmanager-config-namespaces", &mut self.alertmanager_config_namespaces)
                .help("Namespaces of AlertmanagerConfig resources, instead of those above."),
            Flag::new("thanos-ruler-instance-namespaces", &mut self.thanos_ruler_namespaces)
                .help("Namespaces of ThanosRuler resources, instead of those above."),
            Flag::new("watch-referenced-objects-in-all-namespaces", &mut self.references_everywhere).help(
                "Watch Secrets and ConfigMaps in the namespaces of workloads and of their configurations.",
            ),
            Flag::new("prometheus-instance-selector", &mut self.prometheus)
                .help("Label selector of Prometheus and PrometheusAgent resources."),
            Flag::new("alertmanager-instance-selector", &mut self.alertmanager)
                .help("Label selector of Alertmanager resources."),
            Flag::new("thanos-ruler-instance-selector", &mut self.thanos_ruler)
                .help("Label selector of ThanosRuler resources."),
            Flag::new("secret-field-selector", &mut self.secret_fields).help("Field selector of Secrets."),
            Flag::new("secret-label-selector", &mut self.secret_labels).help("Label selector of Secrets."),
            Flag::new("configmap-field-selector", &mut self.config_map_fields)
                .help("Field selector of ConfigMaps."),
            Flag::new("configmap-label-selector", &mut self.config_map_labels)
                .help("Label selector of ConfigMaps."),
        ];
        Group { title: "Watched objects", flags }
    }

    /// The namespaces of all kinds without a flag of their own: monitors, probes, scrape configurations, rules.
    pub fn shared(&self) -> Namespaces {
        self.of(&self.namespaces)
    }

    /// The namespaces of a kind that has a flag of its own.
    pub fn of(&self, own: &BTreeSet<String>) -> Namespaces {
        self.resolved(&self.names(own))
    }

    /// Where Secrets and ConfigMaps of Prometheus and PrometheusAgent are watched.
    pub fn prometheus_references(&self) -> Namespaces {
        self.references(&self.prometheus_namespaces, &self.namespaces)
    }

    /// Where Secrets and ConfigMaps of Alertmanager are watched.
    pub fn alertmanager_references(&self) -> Namespaces {
        self.references(&self.alertmanager_config_namespaces, &self.alertmanager_namespaces)
    }

    /// One set of namespaces, or two if references are watched everywhere.
    fn references(&self, one: &BTreeSet<String>, other: &BTreeSet<String>) -> Namespaces {
        let (one, other) = (self.names(one), self.names(other));
        if !self.references_everywhere || is_all(&one) {
            self.resolved(&one)
        } else if is_all(&other) {
            self.resolved(&other)
        } else {
            self.resolved(&one.into_iter().chain(other).collect())
        }
    }

    /// The names for one kind, else those for all kinds.
    fn names(&self, own: &BTreeSet<String>) -> BTreeSet<String> {
        let given = [own, &self.namespaces].into_iter().find(|names| !names.is_empty());
        given.cloned().unwrap_or_else(|| BTreeSet::from([ALL.to_owned()]))
    }

    /// The namespaces with these names. Denied ones only matter if the name for all is the only one.
    fn resolved(&self, names: &BTreeSet<String>) -> Namespaces {
        if is_all(names) {
            Namespaces::AllBut(self.deny_namespaces.iter().filter(|name| *name != ALL).cloned().collect())
        } else if names.contains(ALL) {
            Namespaces::AllBut(Vec::new())
        } else {
            Namespaces::Only(names.iter().cloned().collect())
        }
    }
}

/// An empty name means all namespaces.
const ALL: &str = "";

/// Whether the name for all namespaces is the only one.
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
        Namespaces::AllBut(names.iter().map(|name| (*name).to_owned()).collect())
    }

    fn only(names: &[&str]) -> Namespaces {
        Namespaces::Only(names.iter().map(|name| (*name).to_owned()).collect())
    }

    #[test]
    fn without_flags_all_namespaces_are_watched() {
        let scope = ScopeFlags::default();
        let everywhere = [
            scope.shared(),
            scope.of(&scope.prometheus_namespaces),
            scope.prometheus_references(),
            scope.alertmanager_references(),
        ];
        assert_eq!(everywhere, [(); 4].map(|()| all_but(&[])));
    }

    #[test]
    fn an_empty_name_means_all_namespaces() {
        for (names, denied, expected) in [
            (&["a", "b"][..], &[][..], only(&["a", "b"])),
            (&[], &["a"], all_but(&["a"])),
            (&[""], &[], all_but(&[])),
            (&["", "a"], &[], all_but(&[])),
            (&[], &[""], all_but(&[])),
        ] {
            let scope =
                ScopeFlags { namespaces: set(names), deny_namespaces: set(denied), ..ScopeFlags::default() };
            assert_eq!(scope.shared(), expected, "{names:?} {denied:?}");
        }
    }

    #[test]
    fn the_namespaces_of_a_kind_take_precedence_over_those_of_all() {
        let scope = ScopeFlags {
            deny_namespaces: set(&["a", "x"]),
            prometheus_namespaces: set(&["a"]),
            alertmanager_namespaces: set(&["b"]),
            alertmanager_config_namespaces: set(&["c"]),
            ..ScopeFlags::default()
        };
        assert_eq!(scope.of(&scope.prometheus_namespaces), only(&["a"]));
        assert_eq!(scope.of(&scope.alertmanager_namespaces), only(&["b"]));
        assert_eq!(scope.of(&scope.alertmanager_config_namespaces), only(&["c"]));
        assert_eq!(scope.of(&scope.thanos_ruler_namespaces), all_but(&["a", "x"]));
        assert_eq!(scope.shared(), all_but(&["a", "x"]));
    }

    #[test]
    fn references_are_watched_on_one_side_or_on_both() {
        let one_side = ScopeFlags {
            namespaces: set(&["a"]),
            prometheus_namespaces: set(&["b"]),
            alertmanager_namespaces: set(&["c"]),
            alertmanager_config_namespaces: set(&["d"]),
            ..ScopeFlags::default()
        };
        assert_eq!(one_side.prometheus_references(), only(&["b"]));
        assert_eq!(one_side.alertmanager_references(), only(&["d"]));

        let both_sides = ScopeFlags { references_everywhere: true, ..one_side };
        assert_eq!(both_sides.prometheus_references(), only(&["a", "b"]));
        assert_eq!(both_sides.alertmanager_references(), only(&["c", "d"]));

        let all = ScopeFlags { namespaces: set(&[]), deny_namespaces: set(&["x"]), ..both_sides };
        assert_eq!(all.prometheus_references(), all_but(&["x"]));
    }
}
