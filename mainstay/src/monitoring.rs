//! What the flags of the Prometheus Operator mean for the operators of monitoring.

use std::collections::BTreeMap;

use kernel::declare::Kind;
use kernel::metrics::Catalogue;
use kernel::stores::{Filter, Namespaces, Scopes};
use kube::Client;
use monitoring_scrape::Offers;
use operator_monitoring::flags::scope::Scope;
use operator_monitoring::flags::{Flags, Gate};
use operator_monitoring::kubelet::operator::Kubelets;
use operator_monitoring::plan::offers;
use operator_monitoring::rollout::Policy;
use operator_monitoring::{Monitored, Pace, Settings, kinds};

/// The kinds of workloads that are looked for in the same places.
const PROMETHEUSES: [Kind; 2] = [kinds::PROMETHEUS, kinds::AGENT];

/// All kinds of workloads.
pub const WORKLOADS: [Kind; 4] = [kinds::PROMETHEUS, kinds::AGENT, kinds::ALERTMANAGER, kinds::THANOS_RULER];

/// What the operators must know, on a cluster with a current server.
pub fn settings(flags: &Flags) -> Settings {
    let is_on = |gate| flags.gates.enabled(gate);
    Settings {
        operator: flags.workload_operator(),
        offers: Offers {
            endpoint_slices: true,
            pod_topology_labels: true,
            topology_sharding: is_on(Gate::PrometheusTopologySharding),
            shard_retention: is_on(Gate::PrometheusShardRetentionPolicy),
            ..Offers::default()
        },
        unmanaged: !flags.objects.always_managed,
        daemon_sets: is_on(Gate::PrometheusAgentDaemonSet),
        reloader_at_once: false,
        pace: Pace::default(),
        bindings: is_on(Gate::StatusForConfigurationResources),
        repair: flags.objects.repair.map_or(Policy::Careful, Policy::Said),
        controller_id: flags.objects.controller_id.clone(),
    }
}

/// The same on a cluster: what its server can do, its version tells.
pub async fn on_cluster(settings: Settings, client: &Client) -> Settings {
    let version = client.apiserver_version().await.map(|version| version.git_version);
    on_server(settings, version.map_err(|error| error.to_string()))
}

fn on_server(settings: Settings, version: Result<String, String>) -> Settings {
    let read = |version: String| {
        offers::on(&version, settings.offers).map_err(|error| format!("it says {version:?}: {error}"))
    };
    match version.and_then(read) {
        Ok(offers) => Settings { offers, ..settings },
        Err(error) => {
            tracing::warn!("the version of the server is not known, and a current one is assumed: {error}");
            settings
        }
    }
}

/// Where they look for what, if they serve these kinds of workloads. What the others would need is not looked at: rights that
/// are not there for them must not stop those that have theirs.
pub fn scopes(scope: &Scope, served: &[Kind]) -> Scopes {
    let serves = |kinds: &[Kind]| kinds.iter().any(|kind| served.contains(kind));
    let everybody = !serves(&WORKLOADS);
    let of = |kinds: &[Kind], namespaces: operator_monitoring::flags::Namespaces| {
        if everybody || serves(kinds) {
            namespaces
        } else {
            operator_monitoring::flags::Namespaces::Only([].into())
        }
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
    let mut look = |kinds: &[Kind], namespaces: &operator_monitoring::flags::Namespaces| {
        some.extend(kinds.iter().map(|kind| (*kind, known(namespaces))));
    };
    look(&PROMETHEUSES, &prometheus);
    look(&[kinds::ALERTMANAGER], &alertmanager);
    look(&[kinds::THANOS_RULER], &ruler);
    look(&[kinds::ALERTMANAGER_CONFIG], &configs);
    look(&[kinds::SERVICE, kinds::STATEFUL_SET, kinds::DAEMON_SET, kinds::POD, kinds::CLAIM], &instances);
    look(&[kinds::SECRET, kinds::CONFIG_MAP], &content);
    Scopes { most: known(&scope.shared()), some, filters: filters(scope) }
}

/// Registers what is counted under the names of the Prometheus Operator.
pub fn metrics(catalogue: &mut Catalogue, flags: &Flags) -> Monitored {
    operator_monitoring::metrics::register_build(catalogue, env!("CARGO_PKG_VERSION"), "unknown");
    let gates = flags.gates.metric().map(|(name, is_open)| (name, is_open == 1));
    operator_monitoring::metrics::register_gates(catalogue, gates);
    Monitored::register(catalogue)
}

/// What keeps the Service of all kubelets, if there shall be one.
pub fn kubelets(
    flags: &Flags,
    client: Client,
    metrics: operator_monitoring::kubelet::operator::Metrics,
) -> Option<Kubelets> {
    let kubelet = &flags.kubelet;
    Some(Kubelets {
        client,
        settings: flags.kubelet_settings()?,
        endpoints: kubelet.endpoints,
        slices: kubelet.endpoint_slices,
        nodes: kubelet.nodes.as_str().to_owned(),
        period: kubelet.sync_period,
        metrics,
    })
}

fn known(namespaces: &operator_monitoring::flags::Namespaces) -> Namespaces {
    match namespaces {
        operator_monitoring::flags::Namespaces::All { but } => {
            Namespaces::AllBut(but.iter().cloned().collect())
        }
        operator_monitoring::flags::Namespaces::Only(some) => {
            Namespaces::Only(some.iter().cloned().collect())
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

    fn scopes_of(arguments: &[&str]) -> Scopes {
        let (flags, rest) = Flags::default().take(arguments, &[]).unwrap();
        assert_eq!(rest, Vec::<String>::new());
        scopes(&flags.scope, &WORKLOADS)
    }

    fn only(names: &[&str]) -> Namespaces {
        Namespaces::Only(names.iter().map(|name| (*name).to_owned()).collect())
    }

    #[test]
    fn what_a_server_can_do_its_version_tells() {
        let offers = |version: Result<&str, &str>| {
            let version = version.map(str::to_owned).map_err(str::to_owned);
            let offers = on_server(settings(&Flags::default()), version).offers;
            (offers.endpoint_slices, offers.pod_topology_labels, offers.topology_sharding)
        };
        assert_eq!(offers(Ok("v1.36.1")), (true, true, true));
        assert_eq!(offers(Ok("v1.34.2-gke.100")), (true, false, true));
        assert_eq!(offers(Ok("v1.19.0")), (false, false, true));
        assert_eq!(offers(Ok("unknown")), (true, true, true));
        assert_eq!(offers(Err("nobody answers")), (true, true, true));
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
