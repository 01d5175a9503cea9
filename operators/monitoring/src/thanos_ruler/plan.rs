//! A Thanos Ruler: everything that follows from it.

use std::collections::BTreeMap;

use monitoring_assets::Reader as Assets;
use monitoring_rules::config_map;
use monitoring_rules::file::{Format, Reader};
use monitoring_scrape::remote_write_file;
use monitoring_select::workload::{Gap, Section};

use crate::plan::child::Child;
use crate::plan::limits;
use crate::plan::planned::{Invalid, Planned, Remark};
use crate::plan::rendered::Rendered;
use crate::plan::rules::{self, RuleOptions};
use crate::plan::selection::Selections;
use crate::plan::surroundings::{LeftOut, Surroundings};
use crate::thanos_ruler::pods::{secrets, service, statefulset};
use crate::thanos_ruler::validate::Valid;
use crate::workload::metadata;
use crate::workload::statefulset::Surroundings as Pods;

/// Makes the files of the selected rules.
pub(crate) fn render(
    valid: &Valid<'_>,
    around: &Surroundings<'_>,
    selections: &Selections,
    rendered: &mut Rendered,
) {
    valid.rules().render(around.objects, selections, rendered);
}

/// Everything that follows from a Thanos Ruler and from what was rendered.
pub(crate) fn build(
    valid: &Valid<'_>,
    around: &Surroundings<'_>,
    left_out: &LeftOut,
    rendered: &Rendered,
) -> Result<Planned, Invalid> {
    let instance = &valid.instance;
    let mut planned = Planned::default();
    if rendered.is_empty() {
        planned.remarks.push(Remark::NothingSelected);
    }
    let workload = config_map::Workload::ThanosRuler(instance.owner().name());
    let owner = metadata::content(instance.owner(), around.operator, "");
    let maps = rules::config_maps(rendered.rule_files(left_out), workload, &owner, around);
    let names = workload.mounted(maps.len());
    planned.children.extend(maps.into_iter().map(Child::ConfigMap));
    let files = valid.put_remote_write(around, &mut planned);
    valid.put_pods(around, files, &names, &mut planned)?;
    limits::check(&mut planned)?;
    Ok(planned)
}

impl Valid<'_> {
    fn rules(&self) -> RuleOptions<'_> {
        let spec = self.instance.spec;
        RuleOptions {
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
        around: &Surroundings<'_>,
        planned: &mut Planned,
    ) -> BTreeMap<String, Vec<u8>> {
        let (instance, standing) = (&self.instance, around.standing);
        planned.remarks.extend(self.ignored.iter().cloned().map(Remark::LeftOut));
        let assets = Assets::new(around.objects, instance.owner().namespace());
        let mut files: BTreeMap<String, Vec<u8>> = self.files.clone();
        let text = match (self.gaps.as_slice(), &standing.configuration) {
            ([], _) => remote_write_file(&assets, &self.endpoints),
            ([Gap { problem, .. }, ..], last) => {
                let (section, because) = (Section::RemoteWrite, problem.to_string());
                if let Some(last) = last {
                    planned.remarks.push(Remark::Kept { section, because });
                    files.extend(standing.tls_files.clone());
                    last.clone()
                } else {
                    planned.remarks.push(Remark::Absent { section, because });
                    remote_write_file(&assets, &[])
                }
            }
        };
        planned.configuration = Some(text.clone().into());
        planned.children.push(Child::Secret(secrets::remote_write(instance, around.operator, text)));
        files
    }

    /// Everything that pods mount, and the pods.
    fn put_pods(
        &self,
        around: &Surroundings<'_>,
        files: BTreeMap<String, Vec<u8>>,
        rule_config_maps: &[String],
        planned: &mut Planned,
    ) -> Result<(), Invalid> {
        let (instance, operator) = (&self.instance, around.operator);
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
