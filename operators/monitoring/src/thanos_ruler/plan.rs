//! A Thanos Ruler: everything that follows from it.

use std::collections::BTreeMap;

use crate::thanos_ruler::pods::{Instance, remote_write, secrets, service, statefulset};
use crate::workload::metadata;
use crate::workload::statefulset::Surroundings as Pods;
use api_monitoring::ThanosRuler;
use monitoring_assets::Reader as Assets;
use monitoring_rules::config_map;
use monitoring_rules::file::{Format, Reader};
use monitoring_scrape::remote_write_file;
use monitoring_select::Asker;
use monitoring_select::workload::{self, Gap, Section};

use crate::plan::child::Child;
use crate::plan::limits;
use crate::plan::planned::{Invalid, Planned, Remark};
use crate::plan::rules::{self, Asked, Rules};
use crate::plan::standing::Standing;
use crate::plan::surroundings::Surroundings;

/// What is remembered of a Thanos Ruler from one pass to the next.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    /// What became of the rules.
    pub rules: Rules,
}

/// Decides everything that follows from a Thanos Ruler.
pub fn plan(
    ruler: &ThanosRuler,
    around: &Surroundings<'_>,
    standing: &Standing,
    memory: &mut Memory,
) -> Result<Planned, Invalid> {
    limits::check_name(&ruler.metadata)?;
    let instance = Instance::new(ruler).map_err(|error| Invalid::new(&error))?;
    let view = View { ruler, instance: &instance, around };
    view.rules().pass(&mut memory.rules, around)?;
    let mut planned = Planned::default();
    if memory.rules.is_empty() {
        planned.remarks.push(Remark::NothingSelected);
    }
    let workload = config_map::Workload::ThanosRuler(instance.owner().name());
    let owner = metadata::content(instance.owner(), around.operator, "");
    let maps = rules::config_maps(&memory.rules, standing, workload, &owner, around);
    let names = workload.mounted(maps.len());
    planned.children.extend(maps.into_iter().map(Child::ConfigMap));
    let files = view.put_remote_write(standing, &mut planned)?;
    view.put_pods(files, &names, &mut planned)?;
    limits::check(&mut planned)?;
    Ok(planned)
}

/// A Thanos Ruler among all that there is.
struct View<'v> {
    ruler: &'v ThanosRuler,
    instance: &'v Instance<'v>,
    around: &'v Surroundings<'v>,
}

impl View<'_> {
    fn rules(&self) -> Asked<'_> {
        let spec = self.instance.spec;
        Asked {
            asker: Asker::ThanosRuler(self.ruler),
            enforced: &spec.enforced_namespace_label,
            excluded: &spec.excluded_from_enforcement,
            excluded_rules: &spec.prometheus_rules_excluded_from_enforce,
            reader: Reader {
                format: Format::Thanos,
                version: self.instance.version.clone(),
                options: monitoring_rules::Options::default(),
            },
        }
    }

    /// The file with the endpoints that samples are sent to; the certificates and keys that it points to.
    fn put_remote_write(
        &self,
        standing: &Standing,
        planned: &mut Planned,
    ) -> Result<BTreeMap<String, Vec<u8>>, Invalid> {
        let (instance, around) = (self.instance, self.around);
        let wrong =
            |words: String| Invalid::new(&format!("failed to synchronize ruler config secret: {words}"));
        let (endpoints, ignored) = remote_write::fit(instance).map_err(|error| wrong(error.to_string()))?;
        planned.remarks.extend(ignored.iter().map(|one| Remark::LeftOut(one.to_string())));
        let namespace = instance.owner().namespace();
        let checked =
            workload::check_remote_write(namespace, &endpoints, around.objects).map_err(|refused| {
                Invalid { message: wrong(refused.to_string()).message, references: refused.references }
            })?;
        planned.references.extend(checked.accepted.references);
        let mut files: BTreeMap<String, Vec<u8>> =
            checked.accepted.files.into_iter().map(|(name, bytes)| (name, bytes.to_vec())).collect();
        let text = match (checked.gaps.as_slice(), &standing.configuration) {
            ([], _) => remote_write_file(&Assets::new(around.objects, namespace), &endpoints),
            ([Gap { problem, .. }, ..], last) => {
                let (section, because) = (Section::RemoteWrite, problem.to_string());
                if let Some(last) = last {
                    planned.remarks.push(Remark::Kept { section, because });
                    files.extend(standing.tls_files.clone());
                    last.clone()
                } else {
                    planned.remarks.push(Remark::Absent { section, because });
                    remote_write_file(&Assets::new(around.objects, namespace), &[])
                }
            }
        };
        planned.configuration = Some(text.clone().into());
        planned.children.push(Child::Secret(secrets::remote_write(instance, around.operator, text)));
        Ok(files)
    }

    /// Everything that pods mount, and the pods.
    fn put_pods(
        &self,
        files: BTreeMap<String, Vec<u8>>,
        rule_config_maps: &[String],
        planned: &mut Planned,
    ) -> Result<(), Invalid> {
        let (instance, operator) = (self.instance, self.around.operator);
        let tls_secrets = planned.put_tls_assets(instance.owner(), operator, &instance.object_name(), files);
        let web = secrets::web_config(instance, operator)
            .map_err(|error| Invalid::new(&format!("failed to synchronize web config secret: {error}")))?;
        planned.children.push(Child::Secret(web));
        if instance.spec.service_name.is_none() {
            planned.children.push(Child::Service(Box::new(service::build(instance, operator))));
        }
        let pods = Pods { operator, tls_secrets: &tls_secrets };
        let set = statefulset::build(self.ruler, pods, rule_config_maps, "")
            .map_err(|error| Invalid::new(&format!("failed to generate statefulset: {error}")))?;
        planned.children.push(Child::StatefulSet(Box::new(set)));
        Ok(())
    }
}
