//! PrometheusRules: what is wrong with some, and the files of the others.

use std::collections::BTreeMap;

use api_monitoring::reference::{ObjectReference, RuleExclusion};
use api_monitoring::{PrometheusRule, SelectableKind};
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kernel::object::Object;
use monitoring_assets::Objects;
use monitoring_rules::config_map::Workload;
use monitoring_rules::enforce::NamespaceLabel;
use monitoring_rules::file::{self, Reader, Refused};
use monitoring_rules::pack::{Files, pack};

use crate::plan::rendered::{Addition, Rendered, Taken};
use crate::plan::selection::Selections;
use crate::plan::surroundings::Surroundings;

/// What a workload says about rules.
#[derive(Debug, Clone)]
pub(crate) struct RuleOptions<'a> {
    /// The label that binds rules to their namespace; empty, if they are not bound.
    pub(crate) enforced: &'a str,
    /// What is not bound.
    pub(crate) excluded: &'a [ObjectReference],
    /// Rules that are not bound, as older resources name them.
    pub(crate) excluded_rules: &'a [RuleExclusion],
    /// Who reads them.
    pub(crate) reader: Reader,
}

impl RuleOptions<'_> {
    /// Goes through all rules that are selected.
    pub(crate) fn render(&self, objects: &Objects, selections: &Selections, rendered: &mut Rendered) {
        let kind = SelectableKind::PrometheusRule;
        let options = format!(
            "{:?}",
            (&self.reader, self.enforced, self.excluded, self.excluded_rules.iter().collect::<Vec<_>>())
        );
        let make = |object: &Object| self.take_in(object);
        rendered.pass(kind, options.into_bytes(), (objects, &selections[kind]), make);
    }

    fn take_in(&self, object: &Object) -> Result<Taken, String> {
        let mut rule: PrometheusRule =
            object.read().map_err(|error| format!("it cannot be read: {}", error.source))?;
        let label = NamespaceLabel {
            label: self.enforced,
            excluded: self.excluded,
            excluded_rules: self.excluded_rules,
        };
        label.bind_rule(&mut rule, self.reader.options).map_err(|error| error.to_string())?;
        let file = file::write(&rule.spec, &self.reader).map_err(|refused| words(&refused))?;
        let addition = Addition::Rules { name: file::name(&rule), file };
        Ok(Taken { addition, files: BTreeMap::new() })
    }
}

/// The first problem says enough: the others may follow from it.
fn words(refused: &Refused) -> String {
    match refused {
        Refused::NotWritable(_) => refused.to_string(),
        Refused::Invalid(problems) => match problems.as_slice() {
            [] => refused.to_string(),
            [first, others @ ..] => {
                let more = others.iter().filter(|other| *other != first).count();
                if more == 0 { first.words() } else { format!("{} (and {more} more)", first.words()) }
            }
        },
    }
}

/// The ConfigMaps with all files, with what an owner says about its objects.
pub(crate) fn config_maps(
    files: Files,
    workload: Workload<'_>,
    owner: &ObjectMeta,
    around: &Surroundings<'_>,
) -> Vec<ConfigMap> {
    let packing = pack(&around.standing.rules, files);
    let mut maps = workload.build(packing, &around.operator.labels, &around.operator.annotations);
    for map in &mut maps {
        map.metadata.namespace.clone_from(&owner.namespace);
        map.metadata.owner_references.clone_from(&owner.owner_references);
    }
    maps
}
