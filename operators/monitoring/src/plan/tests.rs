//! Properties of plans: they depend neither on what is remembered nor on the order of the resources; excluded resources are
//! not written; a plan reads only references of the workload and of the resources that it selects.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use api_monitoring::SelectableKind;
use k8s_openapi::api::core::v1::Secret;
use kernel::object::Object;
use kernel::stores::All;
use kube::api::{ApiResource, DynamicObject};
use monitoring_assets::{Named, Objects, Reference};
use monitoring_scrape::Offers;
use monitoring_select::LabelsByNamespace;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::kind::{ValidWorkload as _, Workload};
use crate::plan::selection::select;
use crate::plan::{Excluded, LastWritten, PlanContext, PlanError, Planned, Rendered, Resources, Selections};
use crate::selectors::WorkloadSelectors;
use crate::workload::operator::OperatorConfig;
use crate::{OfAgent, OfAlertmanager, OfPrometheus, OfThanosRuler};

/// A change of the cluster.
#[derive(Debug, Clone)]
enum Change {
    /// A resource of a kind is created or changed: its number, and the variant of its spec.
    Put(SelectableKind, usize, usize),
    /// A resource is deleted.
    Remove(SelectableKind, usize),
    /// A Secret is created, changed or deleted.
    Secret(usize, Option<usize>),
    /// The workload sets another version.
    Version(usize),
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let kind = || prop::sample::select(SelectableKind::ALL.to_vec());
    let change = prop_oneof![
        4 => (kind(), 0..5_usize, 0..8_usize).prop_map(|(kind, which, says)| Change::Put(kind, which, says)),
        1 => (kind(), 0..5_usize).prop_map(|(kind, which)| Change::Remove(kind, which)),
        2 => (0..3_usize, prop::option::of(0..2_usize)).prop_map(|(which, says)| Change::Secret(which, says)),
        1 => (0..3_usize).prop_map(Change::Version),
    ];
    prop::collection::vec(change, 1..25)
}

/// The cluster.
#[derive(Debug, Clone, Default)]
struct World {
    resources: BTreeMap<(SelectableKind, usize), Arc<Object>>,
    secrets: BTreeMap<usize, Secret>,
    left_out: Excluded,
    /// Whether only collected references are read, as in a pass.
    reads_collected: bool,
    version: usize,
    clock: u64,
}

fn selector(says: usize, key: &str) -> Value {
    json!({"name": format!("secret-{}", says % 3), "key": key})
}

/// A spec of a resource. Some are valid, some are invalid, and some depend on Secrets.
fn spec(kind: SelectableKind, says: usize) -> Value {
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
        SelectableKind::ServiceMonitor => json!({"selector": {}, "endpoints": [endpoint]}),
        SelectableKind::PodMonitor => json!({"selector": {}, "podMetricsEndpoints": [endpoint]}),
        SelectableKind::Probe => json!({
            "interval": interval, "prober": {"url": "prober"}, "targets": {"staticConfig": {"static": ["a"]}},
        }),
        SelectableKind::ScrapeConfig => json!({"staticConfigs": [{"targets": ["a"]}], "basicAuth": auth}),
        SelectableKind::PrometheusRule => {
            let expression = ["vector(1)", "sum(", "up == 0"][says % 3];
            json!({"groups": [{"name": "g", "rules": [{"record": "a", "expr": expression}]}]})
        }
        SelectableKind::AlertmanagerConfig => {
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

    /// A workload as its user writes it.
    fn workload<W: Workload>(&self) -> Value {
        let versions = match W::DECLARATION.primary.kind {
            "Alertmanager" => ["0.33.1", "0.22.0", "0.26.0"],
            "ThanosRuler" => ["0.42.2", "0.30.0", "0.37.0"],
            _ => ["3.13.1", "2.30.0", "2.45.0"],
        };
        let mut spec = json!({
            "version": versions[self.version], "scrapeInterval": "30s", "evaluationInterval": "30s",
            "remoteWrite": [{"url": "http://a", "basicAuth": {"username": selector(0, "user"), "password": selector(0, "user")}}],
            "queryEndpoints": ["q"],
        });
        for kind in SelectableKind::ALL {
            spec[format!("{}NamespaceSelector", kind.selector_prefix())] = json!({});
            let exists = json!({"matchExpressions": [{"key": "a", "operator": "Exists"}]});
            spec[format!("{}Selector", kind.selector_prefix())] = exists;
        }
        json!({"metadata": {"name": "w", "namespace": "a"}, "spec": spec})
    }

    /// The resources in one order or the other.
    fn resources(&self, backwards: bool) -> Resources {
        Resources::new(|kind| -> All {
            let objects = self.resources.iter().filter(|((other, _), _)| *other == kind);
            let mut objects: Vec<Arc<Object>> = objects.map(|(_, object)| Arc::clone(object)).collect();
            if backwards {
                objects.reverse();
            }
            objects.into()
        })
    }

    fn plan(&self, memories: &mut Memories, backwards: bool) -> [Result<Planned, PlanError>; 4] {
        [
            self.plan_of::<OfPrometheus>(&mut memories.prometheus, backwards),
            self.plan_of::<OfAgent>(&mut memories.agent, backwards),
            self.plan_of::<OfAlertmanager>(&mut memories.alertmanager, backwards),
            self.plan_of::<OfThanosRuler>(&mut memories.thanos_ruler, backwards),
        ]
    }

    /// The plan of one workload. None of the workloads names an AlertmanagerConfig as its base.
    fn plan_of<W: Workload>(&self, memory: &mut Memory, backwards: bool) -> Result<Planned, PlanError> {
        let namespaces: LabelsByNamespace =
            ["a", "a-b"].map(|name| (name.to_owned(), BTreeMap::new())).into_iter().collect();
        let written = self.workload::<W>();
        let selectors = WorkloadSelectors::read(&written, W::SELECTABLE);
        let resource: W::Resource = serde_json::from_value(written.clone()).unwrap();
        let selecting = (&self.resources(backwards), &namespaces);
        let unselectable = select(&mut memory.selections, &selectors, "a", selecting);
        let collected = collected::<W>(&written, &memory.selections);
        let mut objects = Objects::default();
        for (which, secret) in &self.secrets {
            if !self.reads_collected || collected.contains(&Reference::secret("a", format!("secret-{which}")))
            {
                objects.add_secret(secret.clone());
            }
        }
        let context = PlanContext {
            operator: &OperatorConfig::default(),
            offers: Offers::default(),
            unmanaged: true,
            daemon_sets: true,
            objects: &objects,
            last_written: &LastWritten::default(),
            unselectable: &unselectable,
            base: None,
        };
        let valid = W::validate(&resource, &context)?;
        valid.render(&context, &memory.selections, &mut memory.rendered);
        valid.build(&context, &self.left_out, &mut memory.rendered)
    }
}

/// All references of a workload and of the resources that it selects.
fn collected<W: Workload>(workload: &Value, selections: &Selections) -> BTreeSet<Reference> {
    let selected = selections.iter().flat_map(|(_, selection)| selection.iter());
    let own = Named::in_fields(&workload["spec"], W::REFERENCE_FIELDS).of_namespace("a");
    selected.flat_map(|one| one.references.iter().cloned()).chain(own).collect()
}

/// What is remembered of one workload.
#[derive(Debug, Default)]
struct Memory {
    selections: Selections,
    rendered: Rendered,
}

#[derive(Debug, Default)]
struct Memories {
    prometheus: Memory,
    agent: Memory,
    alertmanager: Memory,
    thanos_ruler: Memory,
}

impl Memories {
    fn all(&self) -> impl Iterator<Item = &Memory> {
        [&self.prometheus, &self.agent, &self.alertmanager, &self.thanos_ruler].into_iter()
    }

    /// Whether each selected resource is accepted.
    fn results(&self) -> Vec<String> {
        let judged = self.all().flat_map(|memory| memory.rendered.judged());
        judged.map(|one| format!("{:?} {} {:?}", one.kind, one.object.key(), one.rejection)).collect()
    }

    /// The resources that each workload selects, with their references.
    fn references(&self) -> Vec<BTreeSet<String>> {
        let of_workload = |memory: &Memory| {
            let selected =
                memory.selections.iter().flat_map(|(kind, all)| all.iter().map(move |one| (kind, one)));
            selected
                .map(|(kind, one)| format!("{kind:?} {} {:?}", one.object.key(), one.references))
                .collect()
        };
        self.all().map(of_workload).collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_plan_does_not_depend_on_what_is_remembered(changes in changes()) {
        let mut world = World::default();
        let mut memories = Memories::default();
        for (number, change) in changes.iter().enumerate() {
            world.change(change);
            let mut fresh = Memories::default();
            let remembered = world.plan(&mut memories, number % 2 == 0);
            let from_scratch = world.plan(&mut fresh, number % 2 == 1);
            for (remembered, fresh) in remembered.into_iter().zip(from_scratch) {
                match (remembered, fresh) {
                    (Ok(remembered), Ok(fresh)) => {
                        prop_assert_eq!(remembered.configuration, fresh.configuration);
                        prop_assert_eq!(remembered.children, fresh.children);
                        prop_assert_eq!(remembered.remarks, fresh.remarks);
                    }
                    (Err(remembered), Err(fresh)) => prop_assert_eq!(remembered, fresh),
                    (remembered, fresh) => prop_assert!(false, "{remembered:?} {fresh:?}"),
                }
            }
            prop_assert_eq!(memories.results(), fresh.results());
            prop_assert_eq!(memories.references(), fresh.references());
        }
    }

    #[test]
    fn a_plan_reads_only_collected_references(changes in changes()) {
        let mut world = World::default();
        for change in &changes {
            world.change(change);
        }
        let (mut whole, mut read) = (Memories::default(), Memories::default());
        let from_all = world.plan(&mut whole, false);
        world.reads_collected = true;
        for (from_all, from_collected) in from_all.into_iter().zip(world.plan(&mut read, false)) {
            let parts = |planned: Result<Planned, PlanError>| {
                planned.map(|one| (one.configuration, one.children, one.remarks))
            };
            prop_assert_eq!(parts(from_all), parts(from_collected));
        }
        prop_assert_eq!(whole.results(), read.results());
    }

    #[test]
    fn excluded_resources_are_checked_and_not_written(changes in changes(), out in prop::collection::btree_set(0..5_usize, 1..4)) {
        let mut world = World::default();
        for change in &changes {
            world.change(change);
        }
        let mut without = world.clone();
        without.resources.retain(|(_, which), _| !out.contains(which));
        let names = || out.iter().map(|which| format!("{}/n{which}", ["a-b", "a"][which % 2])).collect();
        world.left_out = Excluded::new(|_| names());
        let (mut judged, mut all) = (Memories::default(), Memories::default());
        let planned = world.plan(&mut judged, false);
        for (left_out, absent) in planned.into_iter().zip(without.plan(&mut Memories::default(), false)) {
            let written = |planned: Result<Planned, PlanError>| planned.map(|one| (one.configuration, one.children));
            prop_assert_eq!(written(left_out), written(absent));
        }
        world.left_out = Excluded::default();
        let _ = world.plan(&mut all, false);
        prop_assert_eq!(judged.results(), all.results());
    }
}

#[test]
fn unchanged_resources_are_not_rendered_again() {
    let mut world = World::default();
    for which in 0..5 {
        world.change(&Change::Put(SelectableKind::ServiceMonitor, which, 2));
        world.change(&Change::Put(SelectableKind::PrometheusRule, which, 0));
    }
    for secret in 0..3 {
        world.change(&Change::Secret(secret, Some(0)));
    }
    let mut memories = Memories::default();
    let mut made = |world: &World| {
        let [server, ..] = world.plan(&mut memories, false);
        server.unwrap();
        [SelectableKind::ServiceMonitor, SelectableKind::PrometheusRule]
            .map(|kind| memories.prometheus.rendered.memo(kind).made())
    };
    assert_eq!(made(&world), [5, 5]);
    assert_eq!(made(&world), [0, 0]);
    world.change(&Change::Put(SelectableKind::ServiceMonitor, 3, 0));
    assert_eq!(made(&world), [1, 0]);
    // Two of the other monitors are in the namespace of the Secret.
    world.change(&Change::Secret(2, Some(1)));
    assert_eq!(made(&world), [1, 0]);
    world.change(&Change::Secret(1, None));
    assert_eq!(made(&world), [0, 0]);
    world.change(&Change::Version(1));
    assert_eq!(made(&world), [5, 5]);
}
