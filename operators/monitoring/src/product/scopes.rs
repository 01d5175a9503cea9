//! Where the operators of monitoring look for what, as the flags of the Prometheus Operator say.

use std::collections::BTreeMap;

use kernel::declare::Kind;
use kernel::stores::{Filter, Namespaces, Scopes};

use crate::flags::scope::Scope;
use crate::{flags, kinds};

/// The kinds of workloads that are looked for in the same places.
const PROMETHEUSES: [Kind; 2] = [kinds::PROMETHEUS, kinds::AGENT];

/// All kinds of workloads.
pub(super) const WORKLOADS: [Kind; 4] =
    [kinds::PROMETHEUS, kinds::AGENT, kinds::ALERTMANAGER, kinds::THANOS_RULER];

/// Where they look for what, if they serve these kinds of workloads. What the others would need is not looked at: rights that
/// are not there for them must not stop those that have theirs.
pub(super) fn scopes(scope: &Scope, served: &[Kind]) -> Scopes {
    let serves = |kinds: &[Kind]| kinds.iter().any(|kind| served.contains(kind));
    let everybody = !serves(&WORKLOADS);
    let of = |kinds: &[Kind], namespaces: flags::Namespaces| {
        if everybody || serves(kinds) { namespaces } else { flags::Namespaces::Only([].into()) }
    };
    let prometheus = of(&PROMETHEUSES, scope.prometheus_namespaces());
    let alertmanager = of(&[kinds::ALERTMANAGER], scope.alertmanager_namespaces());
    let ruler = of(&[kinds::THANOS_RULER], scope.thanos_ruler_namespaces());
    let instances = prometheus.clone().or(alertmanager.clone()).or(ruler.clone());
    let references = of(&PROMETHEUSES, scope.prometheus_references())
        .or(of(&[kinds::ALERTMANAGER], scope.alertmanager_references()));
    let content = references.or(instances.clone());
    let configs = of(&[kinds::ALERTMANAGER], scope.alertmanager_config_namespaces());
    let mut some = BTreeMap::new();
    let mut look = |kinds: &[Kind], namespaces: &flags::Namespaces| {
        some.extend(kinds.iter().map(|kind| (*kind, namespaces.into())));
    };
    look(&PROMETHEUSES, &prometheus);
    look(&[kinds::ALERTMANAGER], &alertmanager);
    look(&[kinds::THANOS_RULER], &ruler);
    look(&[kinds::ALERTMANAGER_CONFIG], &configs);
    look(&[kinds::SERVICE, kinds::STATEFUL_SET, kinds::DAEMON_SET, kinds::POD, kinds::CLAIM], &instances);
    look(&[kinds::SECRET, kinds::CONFIG_MAP], &content);
    Scopes { most: (&scope.shared()).into(), some, filters: filters(scope) }
}

impl From<&flags::Namespaces> for Namespaces {
    fn from(namespaces: &flags::Namespaces) -> Self {
        match namespaces {
            flags::Namespaces::All { but } => Self::AllBut(but.iter().cloned().collect()),
            flags::Namespaces::Only(some) => Self::Only(some.iter().cloned().collect()),
        }
    }
}

/// Which objects they look at, where not at all of a kind.
fn filters(scope: &Scope) -> BTreeMap<Kind, Filter> {
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let labels = |kind: Kind, labels: &str| (kind, Filter { labels: text(labels), fields: None });
    let both = |kind: Kind, labels: &str, fields: &str| {
        (kind, Filter { labels: text(labels), fields: text(fields) })
    };
    let all = [
        labels(kinds::PROMETHEUS, scope.prometheus.as_str()),
        labels(kinds::AGENT, scope.prometheus.as_str()),
        labels(kinds::ALERTMANAGER, scope.alertmanager.as_str()),
        labels(kinds::THANOS_RULER, scope.thanos_ruler.as_str()),
        both(kinds::SECRET, scope.secret_labels.as_str(), scope.secret_fields.as_str()),
        both(kinds::CONFIG_MAP, scope.config_map_labels.as_str(), scope.config_map_fields.as_str()),
    ];
    all.into_iter().filter(|(_, filter)| *filter != Filter::default()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flags::Flags;

    fn scopes_of(arguments: &[&str]) -> Scopes {
        let (flags, rest) = Flags::default().take(arguments, &[]).unwrap();
        assert_eq!(rest, Vec::<String>::new());
        scopes(&flags.scope, &WORKLOADS)
    }

    fn only(names: &[&str]) -> Namespaces {
        Namespaces::Only(names.iter().map(|name| (*name).to_owned()).collect())
    }

    #[test]
    fn instances_and_what_they_select_are_looked_for_in_different_places() {
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
    fn what_workloads_would_need_that_are_not_served_is_not_looked_at() {
        let flags = ["--prometheus-instance-namespaces=b", "--alertmanager-instance-namespaces=c"];
        let (flags, _) = Flags::default().take(&flags, &[]).unwrap();
        let everywhere = Namespaces::AllBut(Vec::new());
        let secrets = |served: &[Kind]| scopes(&flags.scope, served).of(kinds::SECRET).clone();
        assert_eq!(secrets(&WORKLOADS), everywhere);
        assert_eq!(secrets(&[kinds::PROMETHEUS]), only(&["b"]));
        assert_eq!(secrets(&[kinds::AGENT]), only(&["b"]));
        // Secrets that AlertmanagerConfigs point to are wherever those are.
        assert_eq!(secrets(&[kinds::ALERTMANAGER]), everywhere);
        let prometheus = scopes(&flags.scope, &[kinds::PROMETHEUS]);
        assert_eq!(prometheus.of(kinds::STATEFUL_SET), &only(&["b"]));
        assert_eq!(prometheus.of(kinds::PROMETHEUS), &only(&["b"]));
        assert_eq!(prometheus.of(kinds::ALERTMANAGER), &only(&[]));
        assert_eq!(prometheus.of(kinds::ALERTMANAGER_CONFIG), &only(&[]));
        assert_eq!(prometheus.of(kinds::SERVICE_MONITOR), &everywhere);
        // Without any right there is nothing to go by, and rights may come.
        assert_eq!(scopes(&flags.scope, &[]), scopes(&flags.scope, &WORKLOADS));
    }

    #[test]
    fn selectors_are_handed_on() {
        let scopes = scopes_of(&[
            "--prometheus-instance-selector=a=b",
            "--secret-field-selector=type!=helm.sh/release.v1",
            "--secret-label-selector=c",
        ]);
        let filter = |labels: Option<&str>, fields: Option<&str>| Filter {
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
