//! An Alertmanager: everything that follows from it.

use std::collections::BTreeMap;
use std::sync::Arc;

use api_monitoring::alertmanager_config::AlertmanagerConfigSpec;
use api_monitoring::alertmanager_config::receiver::Receiver;
use api_monitoring::alertmanager_config::route::Route;
use api_monitoring::{AlertmanagerConfig, SelectableKind};
use formats::alertmanager::Config;
use formats::alertmanager::global::Global;
use formats::gzip::Part as Piece;
use kernel::object::Object;
use monitoring_alerting::merge::Target;
use monitoring_alerting::provision::{Base, Configuration as Provisioned, Inputs};
use monitoring_assets::Objects;
use monitoring_select::workload::Section;

use crate::alertmanager::pods::{secrets, service, statefulset};
use crate::alertmanager::validate::{Valid, wrong};
use crate::plan::child::Child;
use crate::plan::limits;
use crate::plan::planned::{Configuration, Invalid, Planned, Remark};
use crate::plan::rendered::{Addition, Rendered, Taken};
use crate::plan::selection::Selections;
use crate::plan::surroundings::{LeftOut, Surroundings};
use crate::workload::statefulset::Surroundings as Pods;

/// The receiver of alerts about which nobody is notified.
const NOBODY: &str = "null";

/// Makes what each of the selected AlertmanagerConfigs adds.
pub(crate) fn render(
    valid: &Valid<'_>,
    around: &Surroundings<'_>,
    selections: &Selections,
    rendered: &mut Rendered,
) {
    let kind = SelectableKind::AlertmanagerConfig;
    let Base::Started(started) = &valid.base else {
        rendered.clear(kind);
        return;
    };
    let target = valid.inputs(valid.global.as_ref(), around.objects).target();
    let global = started.global();
    let make = |object: &Object| valid.take_in(object, around.objects, &target, global);
    rendered.pass(kind, valid.options(&target, global), (around.objects, &selections[kind]), make);
}

/// Everything that follows from an Alertmanager and from what was rendered.
pub(crate) fn build(
    valid: &Valid<'_>,
    around: &Surroundings<'_>,
    left_out: &LeftOut,
    rendered: &mut Rendered,
) -> Result<Planned, Invalid> {
    let absence = valid.absence(left_out);
    let configuration = valid.provision(around, left_out, rendered)?;
    let mut planned = Planned::default();
    planned.remarks.extend(absence);
    planned.remarks.extend(configuration.left_out.iter().map(|one| Remark::LeftOut(one.to_string())));
    let text: Arc<str> = String::from_utf8_lossy(&configuration.text).into();
    let compressed = rendered.compressor.file(&[Piece { name: ["alertmanager", ""], text: &text }]);
    planned.configuration = Some(Configuration(vec![text]));
    let secret = secrets::configuration(&valid.instance, around.operator, compressed, configuration.others);
    planned.children.push(Child::Secret(secret));
    let mut files = rendered.files(left_out);
    files.extend(configuration.files);
    valid.put_pods(around, files, &mut planned)?;
    limits::check(&mut planned)?;
    Ok(planned)
}

impl Valid<'_> {
    /// Everything that matters to the configuration.
    fn inputs<'i>(&'i self, global: Option<&'i AlertmanagerConfig>, objects: &'i Objects) -> Inputs<'i> {
        let (alertmanager, version) = (self.alertmanager, &self.version);
        Inputs { alertmanager, global, objects, version }
    }

    /// The configuration. In the place of a base that is left out is one that notifies nobody: what the others add stays.
    fn provision(
        &self,
        around: &Surroundings<'_>,
        left_out: &LeftOut,
        rendered: &Rendered,
    ) -> Result<Provisioned, Invalid> {
        let base = match &self.global {
            Some(global) if self.absence(left_out).is_some() => {
                let global = without_receivers(global.clone());
                self.inputs(Some(&global), around.objects).base().map_err(|error| wrong(&error))?
            }
            Some(_) | None => self.base.clone(),
        };
        match base {
            Base::Whole(configuration) => Ok(configuration),
            Base::Started(started) => {
                started.finish(rendered.routes(left_out), &self.version).map_err(|error| wrong(&error))
            }
        }
    }

    /// Whether an object is the one that the Alertmanager names as its base.
    fn is_base(&self, object: &Object) -> bool {
        let base = self.alertmanager.spec.alertmanager_configuration.as_ref();
        base.is_some_and(|base| {
            *object.key().name == base.name && &*object.key().namespace == self.namespace()
        })
    }

    fn namespace(&self) -> &str {
        self.alertmanager.metadata.namespace.as_deref().unwrap_or_default()
    }

    /// What is said if the base is not written because the operand refuses it.
    fn absence(&self, left_out: &LeftOut) -> Option<Remark> {
        let base = self.alertmanager.spec.alertmanager_configuration.as_ref()?;
        let name = format!("{}/{}", self.namespace(), base.name);
        let is_absent = left_out[SelectableKind::AlertmanagerConfig].contains(&name);
        is_absent.then(|| Remark::Absent {
            section: Section::Base,
            because: format!(
                "Alertmanager does not take AlertmanagerConfig {name}, and alerts for which no other one has a route \
                 reach nobody"
            ),
        })
    }

    fn take_in(
        &self,
        object: &Object,
        objects: &Objects,
        target: &Target<'_>,
        global: Option<&Global>,
    ) -> Result<Taken, String> {
        let config: AlertmanagerConfig =
            object.read().map_err(|error| format!("it cannot be read: {}", error.source))?;
        let accepted = crate::admission::resource::check(&config, &self.version, objects)
            .map_err(|refused| refused.problem.to_string())?;
        let files = accepted.files.into_iter().map(|(name, bytes)| (name, bytes.to_vec())).collect();
        if self.is_base(object) {
            return Ok(Taken { addition: Addition::Routes(None), files });
        }
        let part = target.part(&config, global).map_err(|problem| problem.to_string())?;
        Ok(Taken { addition: Addition::Routes(Some(Box::new(part))), files })
    }

    /// What of an Alertmanager matters to what its resources add.
    fn options(&self, target: &Target<'_>, global: Option<&Global>) -> Vec<u8> {
        let config = Config { global: global.cloned(), ..Config::default() };
        // What cannot be written is told when the whole is.
        let global = config.to_text().unwrap_or_default();
        let base = self.alertmanager.spec.alertmanager_configuration.as_ref().map(|base| &base.name);
        format!("{:?}\n{global}", (target.namespace, target.strategy, target.version, base)).into_bytes()
    }

    /// Everything that pods mount, and the pods.
    fn put_pods(
        &self,
        around: &Surroundings<'_>,
        files: BTreeMap<String, Vec<u8>>,
        planned: &mut Planned,
    ) -> Result<(), Invalid> {
        let (instance, operator) = (&self.instance, around.operator);
        let tls_secrets = planned.put_tls_assets(instance.owner(), operator, &instance.object_name(), files);
        let web = secrets::web_config(instance, operator).map_err(|error| {
            Invalid::new(&format!("failed to synchronize the web config secret: {error}"))
        })?;
        let cluster = secrets::cluster_config(instance, operator).map_err(|error| {
            Invalid::new(&format!("failed to synchronize the cluster TLS config secret: {error}"))
        })?;
        planned.children.extend([web, cluster].map(Child::Secret));
        if instance.spec.service_name.is_none() {
            planned.children.push(Child::Service(Box::new(service::build(instance, operator))));
        }
        let pods = Pods { operator, tls_secrets: &tls_secrets };
        let set = statefulset::build(self.alertmanager, pods, "")
            .map_err(|error| Invalid::new(&format!("failed to generate statefulset: {error}")))?;
        planned.children.push(Child::StatefulSet(Box::new(set)));
        Ok(())
    }
}

/// The same AlertmanagerConfig, if it notified nobody.
fn without_receivers(config: AlertmanagerConfig) -> AlertmanagerConfig {
    let route = Route { receiver: NOBODY.to_owned(), ..Route::default() };
    let receiver = Receiver { name: NOBODY.to_owned(), ..Receiver::default() };
    let spec = AlertmanagerConfigSpec { route: Some(route), receivers: vec![receiver], ..Default::default() };
    AlertmanagerConfig { spec, ..config }
}

#[cfg(test)]
mod tests;
