//! Which objects the operators of monitoring watch, as the flags of the Prometheus Operator define them.

use std::collections::BTreeMap;

use kernel::declare::Kind;
use kernel::stores::{Namespaces, Scopes, WatchFilter};

use crate::flags::scope::ScopeFlags;
use crate::kinds;

/// The kinds of workloads that share their namespaces.
const PROMETHEUSES: [Kind; 2] = [kinds::PROMETHEUS, kinds::AGENT];

/// All kinds of workloads.
pub(super) const WORKLOADS: [Kind; 4] =
    [kinds::PROMETHEUS, kinds::AGENT, kinds::ALERTMANAGER, kinds::THANOS_RULER];

/// What the operators watch for the kinds of workloads that they serve. What only the others need is not watched: missing
/// permissions for one kind must not block another.
pub(super) fn scopes(scope: &ScopeFlags, served: &[Kind]) -> Scopes {
    let serves = |kinds: &[Kind]| kinds.iter().any(|kind| served.contains(kind));
    let serves_none = !serves(&WORKLOADS);
    let of = |kinds: &[Kind], namespaces: Namespaces| {
        if serves_none || serves(kinds) { namespaces } else { Namespaces::Only(Vec::new()) }
    };
    let prometheus = of(&PROMETHEUSES, scope.of(&scope.prometheus_namespaces));
    let alertmanager = of(&[kinds::ALERTMANAGER], scope.of(&scope.alertmanager_namespaces));
    let ruler = of(&[kinds::THANOS_RULER], scope.of(&scope.thanos_ruler_namespaces));
    let configs = of(&[kinds::ALERTMANAGER], scope.of(&scope.alertmanager_config_namespaces));
    let instances = prometheus.or(&alertmanager).or(&ruler);
    let content = of(&PROMETHEUSES, scope.prometheus_references())
        .or(&of(&[kinds::ALERTMANAGER], scope.alertmanager_references()))
        .or(&instances);
    let children = [kinds::SERVICE, kinds::STATEFUL_SET, kinds::DAEMON_SET, kinds::POD, kinds::CLAIM];
    let mut some = BTreeMap::new();
    let namespaces: [(&[Kind], Namespaces); 6] = [
        (&PROMETHEUSES, prometheus),
        (&[kinds::ALERTMANAGER], alertmanager),
        (&[kinds::THANOS_RULER], ruler),
        (&[kinds::ALERTMANAGER_CONFIG], configs),
        (&children, instances),
        (&[kinds::SECRET, kinds::CONFIG_MAP], content),
    ];
    for (kinds, namespaces) in namespaces {
        some.extend(kinds.iter().map(|kind| (*kind, namespaces.clone())));
    }
    Scopes { most: scope.shared(), some, filters: filters(scope) }
}

/// The selectors of kinds that have one.
fn filters(scope: &ScopeFlags) -> BTreeMap<Kind, WatchFilter> {
    let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let filter = |kind, labels, fields| (kind, WatchFilter { labels: text(labels), fields: text(fields) });
    let all = [
        filter(kinds::PROMETHEUS, scope.prometheus.as_str(), ""),
        filter(kinds::AGENT, scope.prometheus.as_str(), ""),
        filter(kinds::ALERTMANAGER, scope.alertmanager.as_str(), ""),
        filter(kinds::THANOS_RULER, scope.thanos_ruler.as_str(), ""),
        filter(kinds::SECRET, scope.secret_labels.as_str(), scope.secret_fields.as_str()),
        filter(kinds::CONFIG_MAP, scope.config_map_labels.as_str(), scope.config_map_fields.as_str()),
    ];
    all.into_iter().filter(|(_, filter)| *filter != WatchFilter::default()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags::OperatorFlags;

    fn scopes_of(arguments: &[&str]) -> Scopes {
        let (flags, rest) = OperatorFlags::default().take(arguments, &[]).unwrap();
        assert_eq!(rest, Vec::<String>::new());
        scopes(&flags.scope, &WORKLOADS)
    }

    fn only(names: &[&str]) -> Namespaces {
        Namespaces::Only(names.iter().map(|name| (*name).to_owned()).collect())
    }

    #[test]
    fn workloads_and_what_they_select_have_different_namespaces() {
        let scopes = scopes_of(&[
            "--namespaces=a",
            "--prometheus-instance-namespaces=b",
            "--alertmanager-instance-namespaces=c",
            "--thanos-ruler-instance-namespaces=d",
            "--watch-referenced-objects-in-all-namespaces",
        ]);
        assert_eq!(scopes.of(kinds::SERVICE_MONITOR), &only(&["a"]));
        assert_eq!(scopes.of(kinds::AGENT), &only(&["b"]));
        assert_eq!(scopes.of(kinds::ALERTMANAGER), &only(&["c"]));
        assert_eq!(scopes.of(kinds::STATEFUL_SET), &only(&["b", "c", "d"]));
        assert_eq!(scopes.of(kinds::SECRET), &only(&["a", "b", "c", "d"]));
    }

    #[test]
    fn kinds_that_only_other_workloads_need_are_not_watched() {
        let flags = ["--prometheus-instance-namespaces=b", "--alertmanager-instance-namespaces=c"];
        let (flags, _) = OperatorFlags::default().take(&flags, &[]).unwrap();
        let everywhere = Namespaces::AllBut(Vec::new());
        let secrets = |served: &[Kind]| scopes(&flags.scope, served).of(kinds::SECRET).clone();
        assert_eq!(secrets(&WORKLOADS), everywhere);
        assert_eq!(secrets(&[kinds::PROMETHEUS]), only(&["b"]));
        assert_eq!(secrets(&[kinds::AGENT]), only(&["b"]));
        // AlertmanagerConfigs reference Secrets in their own namespaces.
        assert_eq!(secrets(&[kinds::ALERTMANAGER]), everywhere);
        let prometheus = scopes(&flags.scope, &[kinds::PROMETHEUS]);
        assert_eq!(prometheus.of(kinds::STATEFUL_SET), &only(&["b"]));
        assert_eq!(prometheus.of(kinds::PROMETHEUS), &only(&["b"]));
        assert_eq!(prometheus.of(kinds::ALERTMANAGER), &only(&[]));
        assert_eq!(prometheus.of(kinds::ALERTMANAGER_CONFIG), &only(&[]));
        assert_eq!(prometheus.of(kinds::SERVICE_MONITOR), &everywhere);
        // Without any permission everything is watched: permissions may be granted later.
        assert_eq!(scopes(&flags.scope, &[]), scopes(&flags.scope, &WORKLOADS));
    }

    #[test]
    fn selectors_become_filters() {
        let scopes = scopes_of(&[
            "--prometheus-instance-selector=a=b",
            "--secret-field-selector=type!=helm.sh/release.v1",
            "--secret-label-selector=c",
        ]);
        let filter = |labels: Option<&str>, fields: Option<&str>| WatchFilter {
            labels: labels.map(str::to_owned),
            fields: fields.map(str::to_owned),
        };
        let expected = BTreeMap::from([
            (kinds::PROMETHEUS, filter(Some("a=b"), None)),
            (kinds::AGENT, filter(Some("a=b"), None)),
            (kinds::SECRET, filter(Some("c"), Some("type!=helm.sh/release.v1"))),
        ]);
        assert_eq!(scopes.filters, expected);
    }
}
