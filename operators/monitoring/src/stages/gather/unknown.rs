//! What decides what a workload selects and is not known: then what was written last stays. Permissions are often granted
//! after the operator was started, kind by kind, and a configuration without what could not be listed yet would be wrong.

use std::time::Duration;

use kernel::declare::Kind;
use kernel::flow::PassError;
use kernel::stores::Stores;

use crate::kinds;
use crate::memory::Memory;
use crate::selectors::WorkloadSelectors;

/// How long a kind is waited for that cannot be listed and that the operator can do without.
const PATIENCE: Duration = Duration::from_mins(1);

/// Says what must be waited for before it is decided what a workload selects.
pub(super) fn check(
    selectors: &WorkloadSelectors,
    stores: &Stores,
    waited: Duration,
    memory: &mut Memory,
) -> Result<(), PassError> {
    let Some(kind) = unknown(selectors, stores) else { return Ok(()) };
    if must_wait(kind, waited) {
        return Err(PassError::Unusable(format!(
            "it is not known what is selected, and what was written last stays: {} cannot be listed; if that lasts, \
             grant list and watch of them to the operator",
            kind.plural
        )));
    }
    if !std::mem::replace(&mut memory.is_told_of_unlisted, true) {
        tracing::warn!(
            "{} cannot be listed, and configurations are written without them: grant list and watch of them to the \
             operator",
            kind.plural
        );
    }
    Ok(())
}

/// The first kind that decides what is selected and is not known.
fn unknown(selectors: &WorkloadSelectors, stores: &Stores) -> Option<Kind> {
    let labels = selectors.goes_by_namespaces().then_some(kinds::NAMESPACE);
    let selected = selectors.selected().map(kinds::selectable);
    labels.into_iter().chain(selected).find(|kind| !stores.is_settled(*kind))
}

/// Without labels of namespaces nothing right can be written, however long that lasts. Other kinds are optional: users may
/// leave their permissions out on purpose.
fn must_wait(kind: Kind, waited: Duration) -> bool {
    kind == kinds::NAMESPACE || waited < PATIENCE
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
        unknown(&selectors(spec), &stores(but))
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
        let words = "it is not known what is selected, and what was written last stays: scrapeconfigs cannot be \
                     listed; if that lasts, grant list and watch of them to the operator";
        assert_eq!(checked(scrapes(), &[kinds::SCRAPE_CONFIG], Duration::ZERO), Err(words.to_owned()));
        assert_eq!(checked(scrapes(), &[], Duration::ZERO), Ok(()));
        assert_eq!(checked(scrapes(), &[kinds::SCRAPE_CONFIG], PATIENCE), Ok(()));
        let labels = json!({"matchLabels": {"team": "x"}});
        let picky = json!({"serviceMonitorSelector": {}, "serviceMonitorNamespaceSelector": labels});
        assert!(checked(picky, &[kinds::NAMESPACE], PATIENCE).is_err());
    }
}
