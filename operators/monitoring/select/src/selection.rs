//! Which objects a workload takes in: those of the namespaces and with the labels that it asks for, as far as nothing is
//! wrong with them.

use api_monitoring::prometheus::shared::SharedSpec;
use api_monitoring::{PodMonitor, Probe, ScrapeConfig, ServiceMonitor};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use monitoring_assets::Objects;

use crate::asking::{Asking, Candidate, Namespaces, SelectionError, Selectors};
use crate::verdict::{Accepted, Refused, Verdicts};
use crate::workload::Workload;
use crate::{pod_monitor, probe, scrape_config, service_monitor};

/// A kind of object that a workload can take in.
pub trait Selectable {
    /// Name, namespace and labels.
    fn metadata(&self) -> &ObjectMeta;

    /// What a workload asks for of this kind.
    fn selectors(spec: &SharedSpec) -> Selectors<'_>;

    /// Whether an object is good.
    fn check<'o>(&self, workload: &Workload<'_>, objects: &'o Objects) -> Result<Accepted<'o>, Refused>;
}

/// Those objects that a workload asks for, with the verdict on each.
pub fn select<'c, 'o, K: Selectable + 'c>(
    workload: &Workload<'_>,
    known: &Namespaces,
    candidates: impl IntoIterator<Item = &'c K>,
    objects: &'o Objects,
) -> Result<Verdicts<'o>, SelectionError> {
    let asking = Asking::new(workload.namespace, K::selectors(workload.spec))?;
    let among = asking.among(known);
    let asked_for = |object: &&K| among.asks_for(Candidate::of(object.metadata()));
    Ok(sort(workload, candidates.into_iter().filter(asked_for), objects))
}

/// The verdict on each object, whether the workload asks for it or not.
pub fn sort<'c, 'o, K: Selectable + 'c>(
    workload: &Workload<'_>,
    candidates: impl IntoIterator<Item = &'c K>,
    objects: &'o Objects,
) -> Verdicts<'o> {
    let mut verdicts = Verdicts::default();
    for object in candidates {
        verdicts.add(key(object.metadata()), object.check(workload, objects));
    }
    verdicts
}

/// `namespace/name`, or just the name of what is in no namespace.
fn key(metadata: &ObjectMeta) -> String {
    let name = metadata.name.as_deref().unwrap_or_default();
    match metadata.namespace.as_deref() {
        None | Some("") => name.to_owned(),
        Some(namespace) => format!("{namespace}/{name}"),
    }
}

impl Selectable for ServiceMonitor {
    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn selectors(spec: &SharedSpec) -> Selectors<'_> {
        Selectors::new(
            spec.service_monitor_namespace_selector.as_ref(),
            spec.service_monitor_selector.as_ref(),
        )
    }

    fn check<'o>(&self, workload: &Workload<'_>, objects: &'o Objects) -> Result<Accepted<'o>, Refused> {
        service_monitor::check(workload, self, objects)
    }
}

impl Selectable for PodMonitor {
    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn selectors(spec: &SharedSpec) -> Selectors<'_> {
        Selectors::new(spec.pod_monitor_namespace_selector.as_ref(), spec.pod_monitor_selector.as_ref())
    }

    fn check<'o>(&self, workload: &Workload<'_>, objects: &'o Objects) -> Result<Accepted<'o>, Refused> {
        pod_monitor::check(workload, self, objects)
    }
}

impl Selectable for Probe {
    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn selectors(spec: &SharedSpec) -> Selectors<'_> {
        Selectors::new(spec.probe_namespace_selector.as_ref(), spec.probe_selector.as_ref())
    }

    fn check<'o>(&self, workload: &Workload<'_>, objects: &'o Objects) -> Result<Accepted<'o>, Refused> {
        probe::check(workload, self, objects)
    }
}

impl Selectable for ScrapeConfig {
    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn selectors(spec: &SharedSpec) -> Selectors<'_> {
        Selectors::new(spec.scrape_config_namespace_selector.as_ref(), spec.scrape_config_selector.as_ref())
    }

    fn check<'o>(&self, workload: &Workload<'_>, objects: &'o Objects) -> Result<Accepted<'o>, Refused> {
        scrape_config::check(workload, self, objects)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::sample::{read, with_workload};

    fn known() -> Namespaces {
        let labels = |team: &str| BTreeMap::from([("team".to_owned(), team.to_owned())]);
        BTreeMap::from([
            ("test".into(), labels("a")),
            ("other".into(), labels("b")),
            ("third".into(), BTreeMap::new()),
        ])
    }

    fn monitor(namespace: &str, name: &str, class: Option<&str>) -> PodMonitor {
        read(json!({
            "apiVersion": "monitoring.coreos.com/v1", "kind": "PodMonitor",
            "metadata": {"namespace": namespace, "name": name, "labels": {"name": name}},
            "spec": {"scrapeClass": class},
        }))
    }

    #[test]
    fn a_selector_that_cannot_be_read_selects_nothing_and_is_named() {
        let near = json!({"matchExpressions": [{"key": "a", "operator": "Near"}]});
        let words = |spec: &serde_json::Value| {
            let none: [PodMonitor; 0] = [];
            let objects = Objects::default();
            with_workload("3.0.0", spec, |workload| {
                select(workload, &known(), &none, &objects).unwrap_err().to_string()
            })
        };
        assert_eq!(
            words(&json!({"podMonitorSelector": {}, "podMonitorNamespaceSelector": near})),
            "failed to convert namespace label selector to selector: \"Near\" is not a valid label selector operator"
        );
        assert_eq!(
            words(&json!({"podMonitorSelector": near})),
            "\"Near\" is not a valid label selector operator"
        );
    }

    proptest! {
        #[test]
        fn the_order_in_which_objects_come_shows_nowhere(
            order in Just((0..8).collect::<Vec<usize>>()).prop_shuffle(),
        ) {
            let classes = [None, Some("none")];
            let all: Vec<PodMonitor> =
                (0..8).map(|at| monitor("test", &format!("m{at}"), classes[at % 2])).collect();
            let shuffled: Vec<PodMonitor> = order.iter().map(|at| all[*at].clone()).collect();
            let objects = Objects::default();
            let told = |candidates: &[PodMonitor]| {
                with_workload("3.0.0", &json!({"podMonitorSelector": {}}), |workload| {
                    format!("{:?}", select(workload, &known(), candidates, &objects))
                })
            };
            prop_assert_eq!(told(&all), told(&shuffled));
        }
    }

    #[test]
    fn what_is_asked_for_is_sorted() {
        let candidates = [
            monitor("test", "a", None),
            monitor("test", "b", Some("none")),
            monitor("other", "a", None),
            monitor("third", "a", None),
        ];
        let objects = Objects::default();
        let names = |spec: &serde_json::Value| {
            with_workload("3.0.0", spec, |workload| {
                let verdicts = select(workload, &known(), &candidates, &objects).unwrap();
                let accepted: Vec<String> = verdicts.accepted.into_keys().collect();
                (accepted.join(" "), verdicts.refused.into_keys().collect::<Vec<_>>().join(" "))
            })
        };
        for (spec, accepted, refused) in [
            (json!({}), "", ""),
            (json!({"podMonitorSelector": {}}), "test/a", "test/b"),
            (json!({"podMonitorSelector": {"matchLabels": {"name": "b"}}}), "", "test/b"),
            (
                json!({"podMonitorSelector": {}, "podMonitorNamespaceSelector": {}}),
                "other/a test/a third/a",
                "test/b",
            ),
            (
                json!({"podMonitorSelector": {}, "podMonitorNamespaceSelector": {"matchLabels": {"team": "b"}}}),
                "other/a",
                "",
            ),
        ] {
            assert_eq!(names(&spec), (accepted.to_owned(), refused.to_owned()), "{spec}");
        }
    }
}
