//! Properties of plans: what is remembered shows nowhere, and neither does the order in which resources come; what is left
//! out is written nowhere.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::workload::operator::OperatorConfig;
use api_monitoring::{Alertmanager, Prometheus, PrometheusAgent, ThanosRuler};
use k8s_openapi::api::core::v1::Secret;
use kernel::object::Object;
use kernel::stores::All;
use kube::api::{ApiResource, DynamicObject};
use monitoring_assets::Objects;
use monitoring_scrape::Offers;
use monitoring_select::Namespaces;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::plan::planned::{Invalid, Planned};
use crate::plan::{LeftOut, Resources, Standing, Surroundings};
use crate::{agent, alertmanager, prometheus, thanos_ruler};

/// A change of the world.
#[derive(Debug, Clone)]
enum Change {
    /// A resource of a kind comes or changes: which one, and what it says.
    Put(Kind, usize, usize),
    /// A resource goes.
    Remove(Kind, usize),
    /// A Secret comes, changes or goes.
    Secret(usize, Option<usize>),
    /// The workload asks for something else.
    Version(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    ServiceMonitor,
    PodMonitor,
    Probe,
    ScrapeConfig,
    Rule,
    AlertmanagerConfig,
}

const KINDS: [Kind; 6] = [
    Kind::ServiceMonitor,
    Kind::PodMonitor,
    Kind::Probe,
    Kind::ScrapeConfig,
    Kind::Rule,
    Kind::AlertmanagerConfig,
];

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let kind = || prop::sample::select(&KINDS[..]);
    let change = prop_oneof![
        4 => (kind(), 0..5_usize, 0..8_usize).prop_map(|(kind, which, says)| Change::Put(kind, which, says)),
        1 => (kind(), 0..5_usize).prop_map(|(kind, which)| Change::Remove(kind, which)),
        2 => (0..3_usize, prop::option::of(0..2_usize)).prop_map(|(which, says)| Change::Secret(which, says)),
        1 => (0..3_usize).prop_map(Change::Version),
    ];
    prop::collection::vec(change, 1..25)
}

/// All that there is.
#[derive(Debug, Clone, Default)]
struct World {
    resources: BTreeMap<(Kind, usize), Arc<Object>>,
    secrets: BTreeMap<usize, Secret>,
    left_out: LeftOut,
    version: usize,
    clock: u64,
}

fn selector(says: usize, key: &str) -> Value {
    json!({"name": format!("secret-{}", says % 3), "key": key})
}

/// What a resource says: good things, bad things, and things that depend on Secrets.
fn spec(kind: Kind, says: usize) -> Value {
    let auth = json!({"username": selector(says, "user"), "password": selector(says, "password")});
    let (interval, regex) = (["30s", "10s", "soon"][says % 3], ["a.*", "("][says % 2]);
    let relabelings = json!([{"sourceLabels": ["a"], "regex": regex, "targetLabel": "b"}]);
    let endpoint = match says {
        0..2 => json!({"port": "web", "interval": interval}),
        2..4 => json!({"port": "web", "basicAuth": auth}),
        4..6 => json!({"port": "web", "relabelings": relabelings}),
        _ => json!({"port": "web", "tlsConfig": {"ca": {"secret": selector(says, "ca")}}}),
    };
    match kind {
        Kind::ServiceMonitor => json!({"selector": {}, "endpoints": [endpoint]}),
        Kind::PodMonitor => json!({"selector": {}, "podMetricsEndpoints": [endpoint]}),
        Kind::Probe => json!({
            "interval": interval, "prober": {"url": "prober"}, "targets": {"staticConfig": {"static": ["a"]}},
        }),
        Kind::ScrapeConfig => json!({"staticConfigs": [{"targets": ["a"]}], "basicAuth": auth}),
        Kind::Rule => {
            let expression = ["vector(1)", "sum(", "up == 0"][says % 3];
            json!({"groups": [{"name": "g", "rules": [{"record": "a", "expr": expression}]}]})
        }
        Kind::AlertmanagerConfig => {
            let receiver = match says % 3 {
                0 => json!({"name": "r", "webhookConfigs": [{"url": "http://a"}]}),
                1 => json!({"name": "r", "pagerdutyConfigs": [{"routingKey": selector(says, "password")}]}),
                _ => json!({"name": "other"}),
            };
            json!({"route": {"receiver": "r"}, "receivers": [receiver]})
        }
    }
}

impl World {
    fn change(&mut self, change: &Change) {
        self.clock += 1;
        match change {
            Change::Put(kind, which, says) => {
                let object = json!({
                    "metadata": {
                        "name": format!("n{which}"), "namespace": (["a-b", "a"][which % 2]), "uid": format!("{kind:?}{which}"),
                        "generation": self.clock, "resourceVersion": self.clock.to_string(), "labels": {"a": (says % 2).to_string()},
                    },
                    "spec": spec(*kind, *says),
                });
                let dynamic: DynamicObject = serde_json::from_value(object).unwrap();
                let resource = ApiResource {
                    group: String::new(),
                    version: String::new(),
                    api_version: String::new(),
                    kind: String::new(),
                    plural: String::new(),
                };
                self.resources.insert((*kind, *which), Arc::new(Object::new(dynamic, &resource)));
            }
            Change::Remove(kind, which) => drop(self.resources.remove(&(*kind, *which))),
            Change::Secret(which, None) => drop(self.secrets.remove(which)),
            Change::Secret(which, Some(says)) => {
                let secret = json!({
                    "metadata": {"name": format!("secret-{which}"), "namespace": "a", "resourceVersion": self.clock.to_string()},
                    "stringData": {"user": format!("user-{says}"), "password": "word", "ca": (["none", ""][*says])},
                });
                self.secrets.insert(*which, serde_json::from_value(secret).unwrap());
            }
            Change::Version(version) => self.version = *version,
        }
    }

    fn workload<T: serde::de::DeserializeOwned>(&self, more: &Value) -> T {
        let versions = match more["kind"].as_str() {
            Some("Alertmanager") => ["0.33.1", "0.22.0", "0.26.0"],
            Some("ThanosRuler") => ["0.42.2", "0.30.0", "0.37.0"],
            _ => ["3.13.1", "2.30.0", "2.45.0"],
        };
        let mut spec = json!({
            "version": versions[self.version], "scrapeInterval": "30s", "evaluationInterval": "30s",
            "remoteWrite": [{"url": "http://a", "basicAuth": {"username": selector(0, "user"), "password": selector(0, "user")}}],
            "queryEndpoints": ["q"],
        });
        for kind in ["serviceMonitor", "podMonitor", "probe", "scrapeConfig", "rule", "alertmanagerConfig"] {
            spec[format!("{kind}NamespaceSelector")] = json!({});
            let exists = json!({"matchExpressions": [{"key": "a", "operator": "Exists"}]});
            spec[format!("{kind}Selector")] = exists;
        }
        serde_json::from_value(json!({"metadata": {"name": "w", "namespace": "a"}, "spec": spec})).unwrap()
    }

    /// The resources in one order or the other.
    fn shelves(&self, backwards: bool) -> Resources {
        let of = |kind: Kind| -> All {
            let objects = self.resources.iter().filter(|((other, _), _)| *other == kind);
            let mut objects: Vec<Arc<Object>> = objects.map(|(_, object)| Arc::clone(object)).collect();
            if backwards {
                objects.reverse();
            }
            objects.into()
        };
        Resources {
            service_monitors: of(Kind::ServiceMonitor),
            pod_monitors: of(Kind::PodMonitor),
            probes: of(Kind::Probe),
            scrape_configs: of(Kind::ScrapeConfig),
            rules: of(Kind::Rule),
            alertmanager_configs: of(Kind::AlertmanagerConfig),
        }
    }

    fn plan(&self, memories: &mut Memories, backwards: bool) -> [Result<Planned, Invalid>; 4] {
        let namespaces: Namespaces =
            ["a", "a-b"].map(|name| (name.to_owned(), BTreeMap::new())).into_iter().collect();
        let mut objects = Objects::default();
        self.secrets.values().for_each(|secret| objects.add_secret(secret.clone()));
        let (operator, resources) = (OperatorConfig::default(), self.shelves(backwards));
        let around = Surroundings {
            operator: &operator,
            offers: Offers::default(),
            unmanaged: true,
            daemon_sets: true,
            namespaces: &namespaces,
            objects: &objects,
            resources: &resources,
            left_out: &self.left_out,
        };
        let standing = Standing::default();
        let server: Prometheus = self.workload(&json!({}));
        let edge: PrometheusAgent = self.workload(&json!({}));
        let alerts: Alertmanager = self.workload(&json!({"kind": "Alertmanager"}));
        let ruler: ThanosRuler = self.workload(&json!({"kind": "ThanosRuler"}));
        [
            prometheus::plan::plan(&server, &around, &standing, &mut memories.prometheus),
            agent::plan::plan(&edge, &around, &standing, &mut memories.agent),
            alertmanager::plan::plan(&alerts, &around, &mut memories.alertmanager),
            thanos_ruler::plan::plan(&ruler, &around, &standing, &mut memories.thanos_ruler),
        ]
    }
}

#[derive(Debug, Default)]
struct Memories {
    prometheus: prometheus::plan::Memory,
    agent: agent::plan::Memory,
    alertmanager: alertmanager::plan::Memory,
    thanos_ruler: thanos_ruler::plan::Memory,
}

impl Memories {
    /// What is told about everything that was selected.
    fn verdicts(&self) -> Vec<String> {
        let monitors = [&self.prometheus.monitors, &self.agent.monitors];
        let monitors = monitors.into_iter().flat_map(crate::plan::monitors::Monitors::all).flat_map(|memo| {
            memo.iter().map(|(name, verdict)| format!("{name} {:?}", verdict.as_ref().map(|_| ())))
        });
        let rules = [&self.prometheus.rules, &self.thanos_ruler.rules].into_iter().flat_map(|memo| {
            memo.iter().map(|(name, verdict)| format!("{name} {:?}", verdict.as_ref().map(|_| ())))
        });
        let configs = self.alertmanager.configs.iter();
        let configs = configs.map(|(name, verdict)| format!("{name} {:?}", verdict.as_ref().map(|_| ())));
        monitors.chain(rules).chain(configs).collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_remembered_shows_nowhere(changes in changes()) {
        let mut world = World::default();
        let mut memories = Memories::default();
        for (number, change) in changes.iter().enumerate() {
            world.change(change);
            let mut fresh = Memories::default();
            let remembered = world.plan(&mut memories, number % 2 == 0);
            let anew = world.plan(&mut fresh, number % 2 == 1);
            for (remembered, anew) in remembered.into_iter().zip(anew) {
                match (remembered, anew) {
                    (Ok(remembered), Ok(anew)) => {
                        prop_assert_eq!(remembered.configuration, anew.configuration);
                        prop_assert_eq!(remembered.children, anew.children);
                        prop_assert_eq!(remembered.remarks, anew.remarks);
                        prop_assert_eq!(remembered.references, anew.references);
                    }
                    (Err(remembered), Err(anew)) => prop_assert_eq!(remembered, anew),
                    (remembered, anew) => prop_assert!(false, "{remembered:?} {anew:?}"),
                }
            }
            prop_assert_eq!(memories.verdicts(), fresh.verdicts());
        }
    }

    #[test]
    fn what_is_left_out_is_judged_and_not_written(changes in changes(), out in prop::collection::btree_set(0..5_usize, 1..4)) {
        let mut world = World::default();
        for change in &changes {
            world.change(change);
        }
        let mut without = world.clone();
        without.resources.retain(|(_, which), _| !out.contains(which));
        let names = || out.iter().map(|which| format!("{}/n{which}", ["a-b", "a"][which % 2])).collect();
        world.left_out = LeftOut {
            service_monitors: names(),
            pod_monitors: names(),
            probes: names(),
            scrape_configs: names(),
            rules: names(),
            alertmanager_configs: names(),
        };
        let (mut judged, mut all) = (Memories::default(), Memories::default());
        let planned = world.plan(&mut judged, false);
        for (left_out, absent) in planned.into_iter().zip(without.plan(&mut Memories::default(), false)) {
            let written = |planned: Result<Planned, Invalid>| planned.map(|one| (one.configuration, one.children));
            prop_assert_eq!(written(left_out), written(absent));
        }
        world.left_out = LeftOut::default();
        let _ = world.plan(&mut all, false);
        prop_assert_eq!(judged.verdicts(), all.verdicts());
    }
}

#[test]
fn what_did_not_change_is_not_made_again() {
    let mut world = World::default();
    for which in 0..5 {
        world.change(&Change::Put(Kind::ServiceMonitor, which, 2));
        world.change(&Change::Put(Kind::Rule, which, 0));
    }
    for secret in 0..3 {
        world.change(&Change::Secret(secret, Some(0)));
    }
    let mut memories = Memories::default();
    let mut made = |world: &World| {
        let [server, ..] = world.plan(&mut memories, false);
        server.unwrap();
        (memories.prometheus.monitors.service_monitors.made(), memories.prometheus.rules.made())
    };
    assert_eq!(made(&world), (5, 5));
    assert_eq!(made(&world), (0, 0));
    world.change(&Change::Put(Kind::ServiceMonitor, 3, 0));
    assert_eq!(made(&world), (1, 0));
    // Two of the others are in the namespace of the Secret.
    world.change(&Change::Secret(2, Some(1)));
    assert_eq!(made(&world), (1, 0));
    world.change(&Change::Secret(1, None));
    assert_eq!(made(&world), (0, 0));
    world.change(&Change::Version(1));
    assert_eq!(made(&world), (5, 5));
}
