//! Kinds that the selection needs and that cannot be listed. Permissions are often granted kind by kind after the operator was
//! started, and a configuration without the kinds that cannot be listed yet would be wrong.

use std::time::Duration;

use kernel::declare::Kind;
use kernel::flow::PassError;
use kernel::stores::Stores;

use crate::kinds;
use crate::memory::Memory;
use crate::selectors::WorkloadSelectors;

/// How long the operator waits for an optional kind that it cannot list.
const PATIENCE: Duration = Duration::from_mins(1);

/// Fails if the pass must wait until a kind can be listed. The last configuration is kept.
pub(super) fn check(
    selectors: &WorkloadSelectors,
    stores: &Stores,
    waited: Duration,
    memory: &mut Memory,
) -> Result<(), PassError> {
    let Some(kind) = unlisted(selectors, stores) else { return Ok(()) };
    // Without the labels of namespaces every configuration would be wrong. Other kinds are optional: users may omit their
    // permissions on purpose.
    if kind == kinds::NAMESPACE || waited < PATIENCE {
        return Err(PassError::Unusable(format!(
            "the operator cannot list {}, so the selected resources are not known and the last configuration is kept: \
             grant list and watch of them to the operator if this persists",
            kind.plural
        )));
    }
    if !std::mem::replace(&mut memory.is_unlisted_logged, true) {
        tracing::warn!(
            "the operator cannot list {}, and ignores them: grant list and watch of them to the operator",
            kind.plural
        );
    }
    Ok(())
}

/// The first kind that the selection needs and that is not listed.
fn unlisted(selectors: &WorkloadSelectors, stores: &Stores) -> Option<Kind> {
    let labels = selectors.needs_namespace_labels().then_some(kinds::NAMESPACE);
    let selected = selectors.selected().map(kinds::selectable);
    labels.into_iter().chain(selected).find(|kind| !stores.is_settled(*kind))
}

#[cfg(test)]
mod tests {
    use kernel::store::Event;
    use kernel::stores::Namespaces;
    use serde_json::{Value, json};

    use super::*;
    use crate::OfPrometheus;
    use crate::kind::Workload;

    /// Stores in which all kinds but these are listed.
    fn stores(but: &[Kind]) -> Stores {
        let stores =
            Stores::new(&[OfPrometheus::DECLARATION], "test", &Namespaces::AllBut(Vec::new()).into());
        for (_, partition) in stores.iter().filter(|(kind, _)| !but.contains(kind)) {
            partition.objects.write().see(Event::Begin);
            partition.objects.write().see(Event::Complete);
        }
        stores
    }

    fn selectors(spec: &Value) -> WorkloadSelectors {
        WorkloadSelectors::read(&json!({ "spec": spec }), OfPrometheus::SELECTABLE)
    }

    fn missed(spec: &Value, but: &[Kind]) -> Option<Kind> {
        unlisted(&selectors(spec), &stores(but))
    }

    #[test]
    fn workloads_that_select_by_namespace_labels_wait_for_namespaces() {
        let labels = json!({"matchLabels": {"team": "x"}});
        let no_labels = json!({"matchExpressions": [{"key": "team", "operator": "DoesNotExist"}]});
        for (spec, expected) in [
            (json!({"serviceMonitorSelector": {}, "serviceMonitorNamespaceSelector": labels}), true),
            (json!({"ruleSelector": {}, "ruleNamespaceSelector": no_labels}), true),
            (json!({"serviceMonitorSelector": {}, "serviceMonitorNamespaceSelector": {}}), false),
            (json!({"serviceMonitorSelector": {}}), false),
            // Without a selector of resources nothing is selected.
            (json!({"serviceMonitorNamespaceSelector": labels}), false),
        ] {
            let expected = expected.then_some(kinds::NAMESPACE);
            assert_eq!(missed(&spec, &[kinds::NAMESPACE]), expected, "{spec}");
            assert_eq!(missed(&spec, &[]), None, "{spec}");
        }
    }

    #[test]
    fn workloads_that_select_scrape_configs_wait_for_them() {
        let but = [kinds::SCRAPE_CONFIG];
        assert_eq!(missed(&json!({"scrapeConfigSelector": {}}), &but), Some(kinds::SCRAPE_CONFIG));
        assert_eq!(missed(&json!({"serviceMonitorSelector": {}}), &but), None);
    }

    #[test]
    fn an_optional_kind_is_awaited_for_a_minute() {
        let mut memory = Memory::default();
        let mut checked = |spec: Value, but: &[Kind], waited: Duration| {
            check(&selectors(&spec), &stores(but), waited, &mut memory).map_err(|error| error.with_causes())
        };
        let scrapes = || json!({"scrapeConfigSelector": {}});
        let message = "the operator cannot list scrapeconfigs, so the selected resources are not known and the last \
                       configuration is kept: grant list and watch of them to the operator if this persists";
        assert_eq!(checked(scrapes(), &[kinds::SCRAPE_CONFIG], Duration::ZERO), Err(message.to_owned()));
        assert_eq!(checked(scrapes(), &[], Duration::ZERO), Ok(()));
        assert_eq!(checked(scrapes(), &[kinds::SCRAPE_CONFIG], PATIENCE), Ok(()));
        let labels = json!({"matchLabels": {"team": "x"}});
        let by_labels = json!({"serviceMonitorSelector": {}, "serviceMonitorNamespaceSelector": labels});
        assert!(checked(by_labels, &[kinds::NAMESPACE], PATIENCE).is_err());
    }
}
