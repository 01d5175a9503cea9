//! What decides what a workload selects and is not known: then what was written last stays. Rights are often granted after
//! the operator was started, kind by kind, and a configuration without what could not be seen yet would be a wrong one.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use kernel::clock;
use kernel::declare::Kind;
use kernel::flow::PassError;
use kernel::object::Object;
use kernel::stores::Stores;

use crate::interest::{Asks, Selectable};
use crate::kinds;

/// How long a kind is waited for that we may not look at and can do without.
const PATIENCE: Duration = Duration::from_mins(1);

/// Since when something is waited for.
#[derive(Debug, Default)]
pub(crate) struct Unknown {
    since: OnceLock<Instant>,
    is_told: OnceLock<()>,
}

impl Unknown {
    /// Says what must be waited for before it is decided what a workload selects.
    pub(crate) fn check(
        &self,
        workload: &Object,
        selectable: Selectable,
        stores: &Stores,
    ) -> Result<(), PassError> {
        let now = clock::now();
        let waited = now.saturating_duration_since(*self.since.get_or_init(|| now));
        let Some(kind) = unknown(&Asks::read(&workload.value(), selectable), stores) else { return Ok(()) };
        if must_wait(kind, waited) {
            return Err(PassError::Outside(format!(
                "it is not known what is selected, and what was written last stays: {} cannot be listed; if that lasts, \
                 grant list and watch of them to the operator",
                kind.plural
            )));
        }
        if self.is_told.set(()).is_ok() {
            tracing::warn!(
                "{} may not be listed, and configurations are written without them: grant list and watch of them to \
                 the operator",
                kind.plural
            );
        }
        Ok(())
    }
}

/// The first kind that decides what is selected and is not known.
fn unknown(asks: &Asks, stores: &Stores) -> Option<Kind> {
    let labels = asks.goes_by_namespaces().then_some(kinds::NAMESPACE);
    labels.into_iter().chain(asks.selected()).find(|kind| !stores.is_settled(*kind))
}

/// Without labels of namespaces nothing right can be written, however long that lasts. Other kinds have been optional ever
/// since: who narrowed our rights on purpose does without them.
fn must_wait(kind: Kind, waited: Duration) -> bool {
    kind == kinds::NAMESPACE || waited < PATIENCE
}

#[cfg(test)]
mod tests {
    use kernel::store::Event;
    use kernel::stores::Namespaces;
    use kube::api::DynamicObject;
    use serde_json::{Value, json};

    use super::*;
    use crate::OfPrometheus;
    use crate::kind::Workload;

    /// Stores in which all is known but these kinds.
    fn stores(but: &[Kind]) -> Stores {
        let stores =
            Stores::new(&[OfPrometheus::DECLARATION], "test", &Namespaces::AllBut(Vec::new()).into());
        for (_, partition) in stores.iter().filter(|(kind, _)| !but.contains(kind)) {
            partition.objects.write().see(Event::Begin);
            partition.objects.write().see(Event::Complete);
        }
        stores
    }

    fn workload(spec: &Value) -> Object {
        let metadata = json!({"namespace": "a", "name": "p", "uid": "1", "resourceVersion": "1"});
        let object: DynamicObject =
            serde_json::from_value(json!({"metadata": metadata, "spec": spec})).unwrap();
        Object::new(object, &kinds::PROMETHEUS.resource())
    }

    fn missed(spec: &Value, but: &[Kind]) -> Option<Kind> {
        unknown(&Asks::read(&workload(spec).value(), OfPrometheus::SELECTABLE), &stores(but))
    }

    #[test]
    fn labels_of_namespaces_are_waited_for_by_those_who_select_by_them() {
        let labels = json!({"matchLabels": {"team": "x"}});
        let no_labels = json!({"matchExpressions": [{"key": "team", "operator": "DoesNotExist"}]});
        for (spec, expected) in [
            (json!({"serviceMonitorSelector": {}, "serviceMonitorNamespaceSelector": labels}), true),
            (json!({"ruleSelector": {}, "ruleNamespaceSelector": no_labels}), true),
            (json!({"serviceMonitorSelector": {}, "serviceMonitorNamespaceSelector": {}}), false),
            (json!({"serviceMonitorSelector": {}}), false),
            // Who selects nothing selects nothing anywhere.
            (json!({"serviceMonitorNamespaceSelector": labels}), false),
        ] {
            let expected = expected.then_some(kinds::NAMESPACE);
            assert_eq!(missed(&spec, &[kinds::NAMESPACE]), expected, "{spec}");
            assert_eq!(missed(&spec, &[]), None, "{spec}");
        }
    }

    #[test]
    fn scrape_configs_are_waited_for_by_those_who_select_them() {
        let but = [kinds::SCRAPE_CONFIG];
        assert_eq!(missed(&json!({"scrapeConfigSelector": {}}), &but), Some(kinds::SCRAPE_CONFIG));
        assert_eq!(missed(&json!({"serviceMonitorSelector": {}}), &but), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_kind_that_we_can_do_without_is_waited_for_a_minute() {
        let unknown = Unknown::default();
        let check = |spec: Value, but: &[Kind]| {
            unknown
                .check(&workload(&spec), OfPrometheus::SELECTABLE, &stores(but))
                .map_err(|error| error.words())
        };
        let scrapes = || json!({"scrapeConfigSelector": {}});
        let words = "it is not known what is selected, and what was written last stays: scrapeconfigs cannot be \
                     listed; if that lasts, grant list and watch of them to the operator";
        assert_eq!(check(scrapes(), &[kinds::SCRAPE_CONFIG]), Err(words.to_owned()));
        assert_eq!(check(scrapes(), &[]), Ok(()));
        tokio::time::advance(PATIENCE).await;
        assert_eq!(check(scrapes(), &[kinds::SCRAPE_CONFIG]), Ok(()));
        let labels = json!({"matchLabels": {"team": "x"}});
        let picky = json!({"serviceMonitorSelector": {}, "serviceMonitorNamespaceSelector": labels});
        assert!(check(picky, &[kinds::NAMESPACE]).is_err());
    }
}
