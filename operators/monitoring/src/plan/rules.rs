//! PrometheusRules: what a workload selects of them, what is wrong with some, and the files of the others.

use std::collections::BTreeSet;

use api_monitoring::PrometheusRule;
use api_monitoring::reference::{ObjectReference, RuleExclusion};
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kernel::object::Object;
use monitoring_rules::config_map::Workload;
use monitoring_rules::enforce::NamespaceLabel;
use monitoring_rules::file::{self, Reader, Refused, RuleFile};
use monitoring_rules::pack::{Files, pack};
use monitoring_select::asker::{Asker, Kind};
use monitoring_select::asking::SelectionError;

use crate::plan::candidates::Candidates;
use crate::plan::memo::Memo;
use crate::plan::planned::Invalid;
use crate::plan::standing::Standing;
use crate::plan::surroundings::Surroundings;

/// A rule that is taken in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// The name of its file.
    pub name: String,
    /// Its file.
    pub file: RuleFile,
}

/// What became of a rule: taken in, or why not.
pub type Verdict = Result<Taken, String>;

/// What became of the rules that a workload selects.
pub type Rules = Memo<Verdict>;

/// What a workload says about rules.
#[derive(Debug, Clone)]
pub(crate) struct Asked<'a> {
    /// The workload.
    pub(crate) asker: Asker<'a>,
    /// The label that binds rules to their namespace; empty, if they are not bound.
    pub(crate) enforced: &'a str,
    /// What is not bound.
    pub(crate) excluded: &'a [ObjectReference],
    /// Rules that are not bound, as older resources name them.
    pub(crate) excluded_rules: &'a [RuleExclusion],
    /// Who reads them.
    pub(crate) reader: Reader,
}

impl Asked<'_> {
    /// Goes through all rules that are asked for.
    pub(crate) fn pass(&self, rules: &mut Rules, around: &Surroundings<'_>) -> Result<(), Invalid> {
        let failed =
            |error: SelectionError| Invalid::new(&format!("selecting PrometheusRules failed: {error}"));
        let asking = self.asker.asking(Kind::PrometheusRule).map_err(failed)?;
        let candidates = Candidates::new(&asking, around.namespaces, &around.resources.rules);
        let options = format!(
            "{:?}",
            (&self.reader, self.enforced, self.excluded, self.excluded_rules.iter().collect::<Vec<_>>())
        );
        let make = |object: &Object| (self.look(object), BTreeSet::new());
        rules.pass(options.into_bytes(), around.objects, &candidates, make);
        Ok(())
    }

    fn look(&self, object: &Object) -> Verdict {
        let mut rule: PrometheusRule =
            object.read().map_err(|error| format!("it cannot be read: {}", error.source))?;
        let label = NamespaceLabel {
            label: self.enforced,
            excluded: self.excluded,
            excluded_rules: self.excluded_rules,
        };
        label.bind_rule(&mut rule, self.reader.options).map_err(|error| error.to_string())?;
        let file = file::write(&rule.spec, &self.reader).map_err(|refused| words(&refused))?;
        Ok(Taken { name: file::name(&rule), file })
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

/// All files by name.
fn files(rules: &Rules, without: &BTreeSet<String>) -> Files {
    rules.taken(without).map(|(_, taken)| (taken.name.clone(), taken.file.text.clone())).collect()
}

/// The ConfigMaps with all files, with what an owner says about its objects.
pub(crate) fn config_maps(
    rules: &Rules,
    standing: &Standing,
    workload: Workload<'_>,
    owner: &ObjectMeta,
    around: &Surroundings<'_>,
) -> Vec<ConfigMap> {
    let packing = pack(&standing.rules, files(rules, &around.left_out.rules));
    let mut maps = workload.build(packing, &around.operator.labels, &around.operator.annotations);
    for map in &mut maps {
        map.metadata.namespace.clone_from(&owner.namespace);
        map.metadata.owner_references.clone_from(&owner.owner_references);
    }
    maps
}
