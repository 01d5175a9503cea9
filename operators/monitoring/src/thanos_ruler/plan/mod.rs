//! The objects of a Thanos Ruler.
//!
//! | file | builds |
//! |---|---|
//! | [`statefulset`] | the StatefulSet |
//! | `pod` | its pods |
//! | `arguments`, `volumes` | parts of the pods |
//! | [`remote_write`] | the remote write endpoints, as far as the version supports them |
//! | [`secret`] | the Secret with the endpoints |
//! | [`service`] | the governing Service |

mod arguments;
mod pod;
pub mod remote_write;
pub mod secret;
pub mod service;
pub mod statefulset;
mod volumes;

use std::collections::BTreeMap;

use monitoring_assets::Reader as Assets;
use monitoring_rules::file::{RuleFormat, RuleReader};
use monitoring_scrape::remote_write_file;
use monitoring_select::workload::{SectionGap, WorkloadSection};

use crate::kind::ValidWorkload;
use crate::plan::limits;
use crate::plan::rules::{RuleOptions, put_rules};
use crate::plan::{Child, Excluded, PlanContext, PlanError, PlanRemark, Planned, Rendered, Selections};
use crate::thanos_ruler::validate::Valid;
use crate::workload::secret::web_config;
use crate::workload::statefulset::PodInputs;

/// The directory of the data.
const DATA: &str = "/thanos/data";
/// The directory of files that flags refer to.
const CONFIG: &str = "/etc/thanos/config";
/// The directory of certificates and keys.
const CERTIFICATES: &str = "/etc/thanos/certs";
/// The directory of rules.
const RULES: &str = "/etc/thanos/rules";
/// The directory of the web configuration file.
const WEB_CONFIG: &str = "/etc/thanos/web_config";
/// The port of the web server.
const WEB_PORT: i32 = 10902;
/// The port of the gRPC server.
const GRPC_PORT: i32 = 10901;

impl ValidWorkload for Valid<'_> {
    fn render(&self, context: &PlanContext<'_>, selections: &Selections, rendered: &mut Rendered) {
        self.rules().render(context.objects, selections, rendered);
    }

    fn build(
        &self,
        context: &PlanContext<'_>,
        left_out: &Excluded,
        rendered: &mut Rendered,
    ) -> Result<Planned, PlanError> {
        let mut planned = Planned::of(rendered);
        let files = rendered.rule_files(left_out);
        let rule_config_maps = put_rules(&mut planned, &self.instance, context, files);
        let files = self.put_remote_write(context, &mut planned);
        self.put_pods(context, files, &rule_config_maps, &mut planned)?;
        limits::check(&mut planned)?;
        Ok(planned)
    }
}

impl Valid<'_> {
    fn rules(&self) -> RuleOptions<'_> {
        let spec = self.instance.spec;
        RuleOptions {
            enforced: &spec.enforced_namespace_label,
            excluded: &spec.excluded_from_enforcement,
            excluded_rules: &spec.prometheus_rules_excluded_from_enforce,
            reader: RuleReader {
                format: RuleFormat::Thanos,
                version: self.instance.version.clone(),
                options: monitoring_rules::Options::default(),
            },
        }
    }

    /// Adds the Secret with the remote write endpoints. Returns the certificates and keys that it refers to.
    fn put_remote_write(
        &self,
        context: &PlanContext<'_>,
        planned: &mut Planned,
    ) -> BTreeMap<String, Vec<u8>> {
        let (instance, last_written) = (&self.instance, context.last_written);
        planned.remarks.extend(self.ignored.iter().cloned().map(PlanRemark::LeftOut));
        let assets = Assets::new(context.objects, instance.owner.namespace());
        let mut files: BTreeMap<String, Vec<u8>> = self.files.clone();
        let text = match (self.gaps.as_slice(), &last_written.configuration) {
            ([], _) => remote_write_file(&assets, &self.endpoints),
            ([SectionGap { problem, .. }, ..], last) => {
                let (section, because) = (WorkloadSection::RemoteWrite, problem.to_string());
                if let Some(last) = last {
                    planned.remarks.push(PlanRemark::Kept { section, because });
                    files.extend(last_written.tls_files.clone());
                    last.clone()
                } else {
                    planned.remarks.push(PlanRemark::Absent { section, because });
                    remote_write_file(&assets, &[])
                }
            }
        };
        planned.configuration = Some(text.clone().into());
        planned.children.push(Child::Secret(secret::remote_write(instance, context.operator, text)));
        files
    }

    /// Adds the pods and everything that they mount.
    fn put_pods(
        &self,
        context: &PlanContext<'_>,
        files: BTreeMap<String, Vec<u8>>,
        rule_config_maps: &[String],
        planned: &mut Planned,
    ) -> Result<(), PlanError> {
        let (instance, operator) = (&self.instance, context.operator);
        let tls_secrets = planned.put_tls_assets(instance, operator, files);
        let failed = "failed to synchronize web config secret";
        planned.put_web_config(web_config(instance, operator, WEB_CONFIG), failed)?;
        if instance.workload.service_name.is_none() {
            planned.children.push(Child::Service(Box::new(service::build(instance, operator))));
        }
        let inputs = PodInputs { operator, tls_secrets: &tls_secrets, rule_config_maps };
        let set = statefulset::build(self.ruler, inputs)
            .map_err(PlanError::prefixed("failed to generate statefulset"))?;
        planned.children.push(Child::StatefulSet(Box::new(set)));
        Ok(())
    }
}
