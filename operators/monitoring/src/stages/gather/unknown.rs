//! Kinds that decide what a workload selects and that cannot be listed. Permissions are often granted kind by kind after
//! the operator was started, and a configuration without what cannot be listed yet would be wrong.

use std::time::Duration;

use kernel::declare::Kind;
use kernel::flow::PassError;
use kernel::stores::Stores;

use crate::kinds;
use crate::memory::Memory;
use crate::selectors::WorkloadSelectors;

/// How long the operator waits for an optional kind that it cannot list.
const PATIENCE: Duration = Duration::from_mins(1);

/// Fails if the pass must wait until a kind can be listed: then what was written last stays.
pub(super) fn check(
    selectors: &WorkloadSelectors,
    stores: &Stores,
    waited: Duration,
    memory: &mut Memory,
) -> Result<(), PassError> {
    let Some(kind) = unlisted(selectors, stores) else { return Ok(()) };
    // Without the labels of namespaces no configuration is right, however long that lasts. Other kinds are optional: users
    // may omit their permissions on purpose.
    if kind == kinds::NAMESPACE || waited < PATIENCE {
        return Err(PassError::Unusable(format!(
            "the operator cannot list {}, so it is not known what is selected, and the last configuration stays: grant \
             list and watch of them to the operator if this persists",
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

/// The first kind that decides what is selected and that is not listed.
fn unlisted(selectors: &WorkloadSelectors, stores: &Stores) -> Option<Kind> {
    let labels = selectors.goes_by_namespaces().then_some(kinds::NAMESPACE);
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

    fn selectors(spec: &Value) -> WorkloadSelectors {
        WorkloadSelectors::read(&json!({ "spec": spec }), OfPrometheus::SELECTABLE)
    }

    fn missed(spec: &Value, but: &[Kind]) -> Option<Kind> {
        unlisted(&selectors(spec), &stores(but))
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

    #[test]
    fn a_kind_that_we_can_do_without_is_waited_for_a_minute() {
        let mut memory = Memory::default();
        let mut checked = |spec: Value, but: &[Kind], waited: Duration| {
            check(&selectors(&spec), &stores(but), waited, &mut memory).map_err(|error| error.words())
        };
        let scrapes = || json!({"scrapeConfigSelector": {}});
        let words = "the operator cannot list scrapeconfigs, so it is not known what is selected, and the last \
                     configuration stays: grant list and watch of them to the operator if this persists";
        assert_eq!(checked(scrapes(), &[kinds::SCRAPE_CONFIG], Duration::ZERO), Err(words.to_owned()));
        assert_eq!(checked(scrapes(), &[], Duration::ZERO), Ok(()));
        assert_eq!(checked(scrapes(), &[kinds::SCRAPE_CONFIG], PATIENCE), Ok(()));
        let labels = json!({"matchLabels": {"team": "x"}});
        let picky = json!({"serviceMonitorSelector": {}, "serviceMonitorNamespaceSelector": labels});
        assert!(checked(picky, &[kinds::NAMESPACE], PATIENCE).is_err());
    }
}
