//! The files of PrometheusRules, or why they are rejected.

use api_monitoring::reference::{ObjectReference, RuleExclusion};
use api_monitoring::{PrometheusRule, SelectableKind};
use kernel::object::Object;
use monitoring_assets::Objects;
use monitoring_rules::enforce::NamespaceLabel;
use monitoring_rules::file::{self, RuleFileError, RuleReader};
use monitoring_rules::pack::{Files, pack};

use crate::plan::child::Child;
use crate::plan::context::PlanContext;
use crate::plan::planned::Planned;
use crate::plan::rendered::{Contribution, Rendered};
use crate::plan::selection::Selections;
use crate::workload::instance::Instance;
use crate::workload::metadata;

/// The settings of a workload for rules.
#[derive(Debug, Clone)]
pub(crate) struct RuleOptions<'a> {
    /// The label that restricts rules to their namespace; empty, if they are not restricted.
    pub(crate) enforced: &'a str,
    /// Objects that are not restricted.
    pub(crate) excluded: &'a [ObjectReference],
    /// Rules that are not restricted, as older resources name them.
    pub(crate) excluded_rules: &'a [RuleExclusion],
    /// The program that reads them.
    pub(crate) reader: RuleReader,
}

impl RuleOptions<'_> {
    /// Renders all rules that are selected.
    pub(crate) fn render(&self, objects: &Objects, selections: &Selections, rendered: &mut Rendered) {
        let kind = SelectableKind::PrometheusRule;
        let options = format!(
            "{:?}",
            (&self.reader, self.enforced, self.excluded, self.excluded_rules.iter().collect::<Vec<_>>())
        );
        let make = |object: &Object| self.accept(object);
        rendered.pass(kind, options.into_bytes(), (objects, &selections[kind]), make);
    }

    fn accept(&self, object: &Object) -> Result<Contribution, String> {
        let mut rule: PrometheusRule =
            object.read().map_err(|error| format!("it cannot be read: {}", error.source))?;
        let label = NamespaceLabel {
            label: self.enforced,
            excluded: self.excluded,
            excluded_rules: self.excluded_rules,
        };
        label.bind_rule(&mut rule, self.reader.options).map_err(|error| error.to_string())?;
        let file = file::write(&rule.spec, &self.reader).map_err(|error| message(&error))?;
        Ok(Contribution { rules: Some((file::name(&rule), file)), ..Contribution::default() })
    }
}

/// The first problem: the others may follow from it.
fn message(error: &RuleFileError) -> String {
    match error {
        RuleFileError::NotWritable(_) => error.to_string(),
        RuleFileError::Invalid(problems) => match problems.as_slice() {
            [] => error.to_string(),
            [first, others @ ..] => {
                let more = others.iter().filter(|other| *other != first).count();
                if more == 0 { first.message() } else { format!("{} (and {more} more)", first.message()) }
            }
        },
    }
}

/// Adds the ConfigMaps with the rules; the names of all that are mounted.
pub(crate) fn put_rules<S>(
    planned: &mut Planned,
    instance: &Instance<'_, S>,
    context: &PlanContext<'_>,
    files: Files,
) -> Vec<String> {
    let Some(workload) = instance.naming.rules.map(|rules| rules(instance.owner.name())) else {
        return Vec::new();
    };
    let operator = context.operator;
    let owner = metadata::content(instance.owner, operator, "");
    let maps =
        workload.build(pack(&context.last_written.rules, files), &operator.labels, &operator.annotations);
    let names = workload.mounted(maps.len());
    planned.children.extend(maps.into_iter().map(|mut map| {
        map.metadata.namespace.clone_from(&owner.namespace);
        map.metadata.owner_references.clone_from(&owner.owner_references);
        Child::ConfigMap(map)
    }));
    names
}
