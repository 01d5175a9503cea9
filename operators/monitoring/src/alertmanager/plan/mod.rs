//! The objects of an Alertmanager.
//!
//! | file | builds |
//! |---|---|
//! | [`statefulset`] | the StatefulSet |
//! | `pod` | its pods |
//! | `arguments`, `volumes` | parts of the pods |
//! | [`secret`] | Secrets |
//! | [`service`] | the governing Service |

mod arguments;
mod pod;
pub mod secret;
pub mod service;
pub mod statefulset;
mod volumes;

use std::collections::BTreeMap;
use std::sync::Arc;

use api_monitoring::alertmanager_config::AlertmanagerConfigSpec;
use api_monitoring::alertmanager_config::receiver::Receiver;
use api_monitoring::alertmanager_config::route::Route;
use api_monitoring::{AlertmanagerConfig, SelectableKind};
use formats::alertmanager::Config;
use formats::alertmanager::global::Global;
use formats::gzip::NamedPart;
use kernel::object::Object;
use monitoring_alerting::merge::MergeTarget;
use monitoring_alerting::provision::{Base, BaseInputs, Configuration as Provisioned};
use monitoring_assets::Objects;
use monitoring_select::workload::WorkloadSection;

use crate::alertmanager::validate::{Valid, invalid};
use crate::kind::ValidWorkload;
use crate::plan::limits;
use crate::plan::rendered::Contribution;
use crate::plan::{
    Child, Excluded, PlanContext, PlanError, PlanRemark, Planned, PlannedConfiguration, Rendered, Selections,
};
use crate::workload::secret::web_config;
use crate::workload::statefulset::PodInputs;

/// The directory of the data.
const DATA: &str = "/alertmanager";
/// The directory of everything that configures Alertmanager.
const DIRECTORY: &str = "/etc/alertmanager";
/// The directory of the configuration, compressed and with variables.
const CONFIG: &str = "/etc/alertmanager/config";
/// The directory of the configuration with expanded variables.
const CONFIG_OUT: &str = "/etc/alertmanager/config_out";
/// The file with the configuration with expanded variables.
const OUTPUT_FILE: &str = "alertmanager.env.yaml";
/// The directory of certificates and keys.
const CERTIFICATES: &str = "/etc/alertmanager/certs";
/// The directory of the web configuration file.
const WEB_CONFIG: &str = "/etc/alertmanager/web_config";
/// The directory of the settings of the connections between peers.
const CLUSTER_CONFIG: &str = "/etc/alertmanager/cluster_tls_config";
/// The directory of notification templates.
const TEMPLATES: &str = "/etc/alertmanager/templates";
/// The volume with notification templates.
const TEMPLATE_VOLUME: &str = "notification-templates";
/// The port of the web server.
const WEB_PORT: i32 = 9093;
/// The port of the connections between peers.
const MESH_PORT: i32 = 9094;
/// The name of that port for UDP.
const MESH_UDP: &str = "mesh-udp";
/// The name of that port for TCP.
const MESH_TCP: &str = "mesh-tcp";

/// The name of a receiver without integrations.
const NULL_RECEIVER: &str = "null";

impl ValidWorkload for Valid<'_> {
    fn render(&self, context: &PlanContext<'_>, selections: &Selections, rendered: &mut Rendered) {
        let kind = SelectableKind::AlertmanagerConfig;
        let Base::Started(started) = &self.base else {
            rendered.clear(kind);
            return;
        };
        let target = self.inputs(self.global.as_ref(), context.objects).target();
        let global = started.global();
        let make = |object: &Object| self.accept(object, context.objects, &target, global);
        rendered.pass(kind, self.options(&target, global), (context.objects, &selections[kind]), make);
    }

    fn build(
        &self,
        context: &PlanContext<'_>,
        left_out: &Excluded,
        rendered: &mut Rendered,
    ) -> Result<Planned, PlanError> {
        let absence = self.absence(left_out);
        let configuration = self.provision(context, left_out, rendered)?;
        let mut planned = Planned::default();
        planned.remarks.extend(absence);
        planned.remarks.extend(configuration.left_out.iter().map(|one| PlanRemark::LeftOut(one.to_string())));
        let text: Arc<str> = String::from_utf8_lossy(&configuration.text).into();
        let compressed = rendered.compressor.file(&[NamedPart { name: ["alertmanager", ""], text: &text }]);
        planned.configuration = Some(PlannedConfiguration(vec![text]));
        let (instance, others) = (&self.instance, configuration.others);
        let secret = secret::configuration(instance, context.operator, compressed, others);
        planned.children.push(Child::Secret(secret));
        let mut files = rendered.files(left_out);
        files.extend(configuration.files);
        self.put_pods(context, files, &mut planned)?;
        limits::check(&mut planned)?;
        Ok(planned)
    }
}

impl Valid<'_> {
    /// The inputs of the configuration.
    fn inputs<'i>(&'i self, global: Option<&'i AlertmanagerConfig>, objects: &'i Objects) -> BaseInputs<'i> {
        let (alertmanager, version) = (self.alertmanager, &self.version);
        BaseInputs { alertmanager, global, objects, version }
    }

    /// The configuration. A base that is excluded is replaced by one without integrations, so that the other
    /// AlertmanagerConfigs keep their effect.
    fn provision(
        &self,
        context: &PlanContext<'_>,
        left_out: &Excluded,
        rendered: &Rendered,
    ) -> Result<Provisioned, PlanError> {
        let base = match &self.global {
            Some(global) if self.absence(left_out).is_some() => {
                let global = without_receivers(global.clone());
                self.inputs(Some(&global), context.objects).base().map_err(|error| invalid(&error))?
            }
            Some(_) | None => self.base.clone(),
        };
        match base {
            Base::Whole(configuration) => Ok(configuration),
            Base::Started(started) => {
                started.finish(rendered.routes(left_out), &self.version).map_err(|error| invalid(&error))
            }
        }
    }

    /// Whether an object is the base of the Alertmanager.
    fn is_base(&self, object: &Object) -> bool {
        let base = self.alertmanager.spec.alertmanager_configuration.as_ref();
        base.is_some_and(|base| {
            *object.key().name == base.name && &*object.key().namespace == self.namespace()
        })
    }

    fn namespace(&self) -> &str {
        self.instance.owner.namespace()
    }

    /// The remark about a base that is excluded because Alertmanager rejects it.
    fn absence(&self, left_out: &Excluded) -> Option<PlanRemark> {
        let base = self.alertmanager.spec.alertmanager_configuration.as_ref()?;
        let name = format!("{}/{}", self.namespace(), base.name);
        let is_absent = left_out[SelectableKind::AlertmanagerConfig].contains(&name);
        is_absent.then(|| PlanRemark::Absent {
            section: WorkloadSection::Base,
            because: format!(
                "Alertmanager rejects AlertmanagerConfig {name}; alerts without a route in another AlertmanagerConfig \
                 cause no notifications"
            ),
        })
    }

    fn accept(
        &self,
        object: &Object,
        objects: &Objects,
        target: &MergeTarget<'_>,
        global: Option<&Global>,
    ) -> Result<Contribution, String> {
        let config: AlertmanagerConfig =
            object.read().map_err(|error| format!("it cannot be read: {}", error.source))?;
        let accepted = crate::admission::resource::check(&config, &self.version, objects)
            .map_err(|refused| refused.problem.to_string())?;
        let files = accepted.files.into_iter().map(|(name, bytes)| (name, bytes.to_vec())).collect();
        if self.is_base(object) {
            return Ok(Contribution { files, ..Contribution::default() });
        }
        let part = target.part(&config, global).map_err(|problem| problem.to_string())?;
        Ok(Contribution { routes: Some(Box::new(part)), files, ..Contribution::default() })
    }

    /// The settings of the Alertmanager that matter to what its resources add.
    fn options(&self, target: &MergeTarget<'_>, global: Option<&Global>) -> Vec<u8> {
        let config = Config { global: global.cloned(), ..Config::default() };
        // A global section that cannot be written fails when the whole is written.
        let global = config.to_text().unwrap_or_default();
        let base = self.alertmanager.spec.alertmanager_configuration.as_ref().map(|base| &base.name);
        format!("{:?}\n{global}", (target.namespace, target.strategy, target.version, base)).into_bytes()
    }

    /// Adds the pods and everything that they mount.
    fn put_pods(
        &self,
        context: &PlanContext<'_>,
        files: BTreeMap<String, Vec<u8>>,
        planned: &mut Planned,
    ) -> Result<(), PlanError> {
        let (instance, operator) = (&self.instance, context.operator);
        let tls_secrets = planned.put_tls_assets(instance, operator, files);
        let failed = "failed to synchronize the web config secret";
        planned.put_web_config(web_config(instance, operator, WEB_CONFIG), failed)?;
        let failed = "failed to synchronize the cluster TLS config secret";
        planned.put_web_config(secret::cluster_config(instance, operator), failed)?;
        if instance.workload.service_name.is_none() {
            planned.children.push(Child::Service(Box::new(service::build(instance, operator))));
        }
        let inputs = PodInputs { operator, tls_secrets: &tls_secrets, rule_config_maps: &[] };
        let set = statefulset::build(self.alertmanager, inputs)
            .map_err(PlanError::prefixed("failed to generate statefulset"))?;
        planned.children.push(Child::StatefulSet(Box::new(set)));
        Ok(())
    }
}

/// The same AlertmanagerConfig without integrations.
fn without_receivers(config: AlertmanagerConfig) -> AlertmanagerConfig {
    let route = Route { receiver: NULL_RECEIVER.to_owned(), ..Route::default() };
    let receiver = Receiver { name: NULL_RECEIVER.to_owned(), ..Receiver::default() };
    let spec = AlertmanagerConfigSpec { route: Some(route), receivers: vec![receiver], ..Default::default() };
    AlertmanagerConfig { spec, ..config }
}

#[cfg(test)]
mod tests;
