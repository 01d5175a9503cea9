//! The selectors of a workload, read from its JSON: the same for all kinds of workloads.

use api_monitoring::SelectableKind;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kernel::object::{Key, Object};
use monitoring_select::label_selector::CheckedSelector;
use monitoring_select::selection::{ResourceSelector, SelectionError, Selectors};
use serde::Deserialize as _;
use serde_json::Value;

use crate::plan::selection::candidate;

/// The selectors of a workload.
#[derive(Debug, Default)]
pub struct WorkloadSelectors {
    of_kinds: Vec<KindSelectors>,
    /// The governing Service that the user provides.
    pub(crate) service: Option<String>,
}

/// The selectors of a kind of resources.
#[derive(Debug)]
struct KindSelectors {
    kind: SelectableKind,
    namespaces: Option<LabelSelector>,
    labels: Option<LabelSelector>,
    /// An object in its namespace that it names.
    named: Option<String>,
}

impl WorkloadSelectors {
    /// Reads them.
    pub fn read(workload: &Value, selectable: &[SelectableKind]) -> Self {
        let spec = &workload["spec"];
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let selector = |name: String| LabelSelector::deserialize(&spec[name]).ok();
        let of_kind = |kind: &SelectableKind| KindSelectors {
            kind: *kind,
            namespaces: selector(format!("{}NamespaceSelector", kind.selector_prefix())),
            labels: selector(format!("{}Selector", kind.selector_prefix())),
            named: text(&spec["alertmanagerConfiguration"]["name"])
                .filter(|_| *kind == SelectableKind::AlertmanagerConfig),
        };
        Self { of_kinds: selectable.iter().map(of_kind).collect(), service: text(&spec["serviceName"]) }
    }

    /// The selector of a workload in a namespace for a kind. It selects nothing of a kind that the workload cannot select.
    pub fn selector<'s>(
        &'s self,
        own_namespace: &'s str,
        kind: SelectableKind,
    ) -> Result<ResourceSelector<'s>, SelectionError> {
        let of_kind = self.of_kinds.iter().find(|one| one.kind == kind);
        of_kind.map_or_else(
            || ResourceSelector::new(own_namespace, Selectors::default()),
            |one| one.selector(own_namespace),
        )
    }

    /// The kinds with a selector.
    pub(crate) fn selected(&self) -> impl Iterator<Item = SelectableKind> {
        self.of_kinds.iter().filter(|one| one.labels.is_some()).map(|one| one.kind)
    }

    /// Whether the selection depends on labels of namespaces.
    pub(crate) fn needs_namespace_labels(&self) -> bool {
        let uses_labels = |namespaces: &LabelSelector| {
            CheckedSelector::new(namespaces).is_ok_and(|all| !all.selects_everything())
        };
        let depends =
            |one: &KindSelectors| one.labels.is_some() && one.namespaces.as_ref().is_some_and(uses_labels);
        self.of_kinds.iter().any(depends)
    }

    /// Whether a selector of namespaces matches a namespace.
    pub(crate) fn selects_namespace_of(&self, namespace: &Object) -> bool {
        let Key { name, .. } = namespace.key();
        self.of_kinds.iter().filter(|one| one.namespaces.is_some()).any(|one| {
            // The own namespace of the workload is selected without labels.
            let selector = one.selector("");
            selector.is_ok_and(|one| one.selects_namespace(name, Some(namespace.labels().into())))
        })
    }

    /// Whether a workload selects an object.
    pub(crate) fn selects(
        &self,
        workload: &Key,
        (kind, object): (SelectableKind, &Object),
        namespace: Option<&Object>,
    ) -> bool {
        // An invalid selector selects nothing: the pass of the workload reports the error.
        let selector = self.selector(&workload.namespace, kind);
        let labels = namespace.map(|namespace| namespace.labels().into());
        selector.is_ok_and(|selector| selector.selects(candidate(object), labels))
    }
}

impl KindSelectors {
    /// The checked selector for a workload in a namespace.
    fn selector<'s>(&'s self, own_namespace: &'s str) -> Result<ResourceSelector<'s>, SelectionError> {
        let selectors = Selectors {
            namespaces: self.namespaces.as_ref(),
            labels: self.labels.as_ref(),
            named: self.named.as_deref(),
        };
        ResourceSelector::new(own_namespace, selectors)
    }
}
