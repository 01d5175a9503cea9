//! An Alertmanager: everything that follows from it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::alertmanager::pods::{Instance, secrets, service, statefulset};
use crate::workload::defaults::{ALERTMANAGER_VERSION, or_default};
use crate::workload::statefulset::Surroundings as Pods;
use api_monitoring::alertmanager_config::AlertmanagerConfigSpec;
use api_monitoring::alertmanager_config::receiver::Receiver;
use api_monitoring::alertmanager_config::route::Route;
use api_monitoring::{Alertmanager, AlertmanagerConfig};
use formats::alertmanager::Config;
use formats::alertmanager::global::Global;
use formats::gzip::{Compressor, Part as Piece};
use formats::version::Version;
use kernel::object::Object;
use monitoring_alerting::merge::{Part, Target};
use monitoring_alerting::provision::{self, Base, Inputs};
use monitoring_alerting::version;
use monitoring_assets::Reference;
use monitoring_select::asker::{Asker, Kind};
use monitoring_select::asking::SelectionError;
use monitoring_select::workload::Section;

use crate::plan::candidates::Candidates;
use crate::plan::child::Child;
use crate::plan::limits;
use crate::plan::memo::Memo;
use crate::plan::planned::{Configuration, Invalid, Planned, Remark};
use crate::plan::surroundings::Surroundings;

/// The receiver of alerts that nobody is told of.
const NOBODY: &str = "null";

/// What became of an AlertmanagerConfig: taken in, or why not.
pub type Verdict = Result<Taken, String>;

/// An AlertmanagerConfig that is taken in.
#[derive(Debug, Clone)]
pub struct Taken {
    /// What it adds; nothing, if it is what everything is added to.
    part: Option<Part>,
    /// Certificates and keys that must be mounted, by the names of their files.
    files: BTreeMap<String, Vec<u8>>,
}

/// What is remembered of an Alertmanager from one pass to the next.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    /// What became of the AlertmanagerConfigs.
    pub configs: Memo<Verdict>,
    /// The compressed configuration.
    pub compressor: Compressor,
}

/// Decides everything that follows from an Alertmanager.
pub fn plan(
    alertmanager: &Alertmanager,
    around: &Surroundings<'_>,
    memory: &mut Memory,
) -> Result<Planned, Invalid> {
    limits::check_name(&alertmanager.metadata)?;
    let wrong = |words: String| Invalid::new(&format!("provision alertmanager configuration: {words}"));
    let text = or_default(&alertmanager.spec.version, ALERTMANAGER_VERSION);
    let version = version::read(text).map_err(|error| wrong(error.to_string()))?;
    let view = View { alertmanager, around, version };
    let global = view.global().map_err(wrong)?;
    let inputs = Inputs {
        alertmanager,
        global: global.as_ref(),
        accepted: &[],
        objects: around.objects,
        version: &view.version,
    };
    let configuration = match provision::base(&inputs).map_err(|error| wrong(error.to_string()))? {
        Base::Whole(configuration) => {
            memory.configs = Memo::default();
            configuration
        }
        Base::Started(started) => {
            view.select(memory, &provision::target(&inputs), started.global())
                .map_err(|error| wrong(format!("failed to select AlertmanagerConfig objects: {error}")))?;
            let taken = memory.configs.taken(&around.left_out.alertmanager_configs);
            let parts = taken.filter_map(|(_, taken)| taken.part.as_ref());
            let finished = started.finish(parts, &view.version);
            finished.map_err(|error| wrong(error.to_string()))?
        }
    };

    let mut planned = Planned { references: configuration.references, ..Planned::default() };
    planned.remarks.extend(view.absence());
    planned.remarks.extend(configuration.left_out.iter().map(|one| Remark::LeftOut(one.to_string())));
    let text: Arc<str> = String::from_utf8_lossy(&configuration.text).into();
    let compressed = memory.compressor.file(&[Piece { name: ["alertmanager", ""], text: &text }]);
    planned.configuration = Some(Configuration(vec![text]));
    let instance = Instance::new(alertmanager).map_err(|error| Invalid::new(&error))?;
    let secret = secrets::configuration(&instance, around.operator, compressed, configuration.others);
    planned.children.push(Child::Secret(secret));
    let taken = memory.configs.taken(&around.left_out.alertmanager_configs);
    let files = taken.flat_map(|(_, taken)| taken.files.clone()).chain(configuration.files).collect();
    view.put_pods(&instance, files, &mut planned)?;
    limits::check(&mut planned)?;
    Ok(planned)
}

/// An Alertmanager among all that there is.
struct View<'v> {
    alertmanager: &'v Alertmanager,
    around: &'v Surroundings<'v>,
    version: Version,
}

impl View<'_> {
    fn namespace(&self) -> &str {
        self.alertmanager.metadata.namespace.as_deref().unwrap_or_default()
    }

    /// Whether an object is the one that the Alertmanager names as its base.
    fn is_global(&self, object: &Object) -> bool {
        let base = self.alertmanager.spec.alertmanager_configuration.as_ref();
        base.is_some_and(|base| {
            *object.key().name == base.name && &*object.key().namespace == self.namespace()
        })
    }

    /// What is said if the base is not written because the operand does not take it.
    fn absence(&self) -> Option<Remark> {
        let base = self.alertmanager.spec.alertmanager_configuration.as_ref()?;
        let name = format!("{}/{}", self.namespace(), base.name);
        let is_absent = self.around.left_out.alertmanager_configs.contains(&name);
        is_absent.then(|| Remark::Absent {
            section: Section::Base,
            because: format!(
                "Alertmanager does not take AlertmanagerConfig {name}, and alerts for which no other one has a route \
                 reach nobody"
            ),
        })
    }

    /// The AlertmanagerConfig that is the base, if one is named and there. In the place of one that is left out is one that
    /// tells nobody: what the others add stays.
    fn global(&self) -> Result<Option<AlertmanagerConfig>, String> {
        let candidates = &self.around.resources.alertmanager_configs;
        let Some(object) = candidates.iter().find(|object| self.is_global(object)) else { return Ok(None) };
        let failed = |words: String| format!("failed to initialize from global AlertmanagerConfig: {words}");
        let config: AlertmanagerConfig =
            object.read().map_err(|error| failed(format!("it cannot be read: {}", error.source)))?;
        crate::admission::resource::check(&config, &self.version, self.around.objects)
            .map_err(|refused| failed(refused.to_string()))?;
        Ok(Some(if self.absence().is_some() { without_receivers(config) } else { config }))
    }

    /// Goes through all AlertmanagerConfigs that are asked for.
    fn select(
        &self,
        memory: &mut Memory,
        target: &Target<'_>,
        global: Option<&Global>,
    ) -> Result<(), SelectionError> {
        let asking = Asker::Alertmanager(self.alertmanager).asking(Kind::AlertmanagerConfig)?;
        let candidates = &self.around.resources.alertmanager_configs;
        let candidates = Candidates::new(&asking, self.around.namespaces, candidates);
        let make = |object: &Object| self.look(object, target, global);
        memory.configs.pass(self.options(target, global), self.around.objects, &candidates, make);
        Ok(())
    }

    fn look(
        &self,
        object: &Object,
        target: &Target<'_>,
        global: Option<&Global>,
    ) -> (Verdict, BTreeSet<Reference>) {
        let config: AlertmanagerConfig = match object.read() {
            Ok(config) => config,
            Err(error) => return (Err(format!("it cannot be read: {}", error.source)), BTreeSet::new()),
        };
        match crate::admission::resource::check(&config, &self.version, self.around.objects) {
            Ok(accepted) => {
                let files = accepted.files.into_iter().map(|(name, bytes)| (name, bytes.to_vec())).collect();
                if self.is_global(object) {
                    return (Ok(Taken { part: None, files }), accepted.references);
                }
                let (part, read) = target.part(&config, global);
                let verdict =
                    part.map(|part| Taken { part: Some(part), files }).map_err(|reason| reason.to_string());
                (verdict, accepted.references.into_iter().chain(read).collect())
            }
            Err(refused) => (Err(refused.problem.to_string()), refused.references),
        }
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
        instance: &Instance<'_>,
        files: BTreeMap<String, Vec<u8>>,
        planned: &mut Planned,
    ) -> Result<(), Invalid> {
        let operator = self.around.operator;
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

/// The same AlertmanagerConfig, if it told nobody.
fn without_receivers(config: AlertmanagerConfig) -> AlertmanagerConfig {
    let route = Route { receiver: NOBODY.to_owned(), ..Route::default() };
    let receiver = Receiver { name: NOBODY.to_owned(), ..Receiver::default() };
    let spec = AlertmanagerConfigSpec { route: Some(route), receivers: vec![receiver], ..Default::default() };
    AlertmanagerConfig { spec, ..config }
}

/// Everything that was read for an Alertmanager and its AlertmanagerConfigs.
pub fn references<'m>(planned: &'m Planned, memory: &'m Memory) -> impl Iterator<Item = &'m Reference> {
    planned.references.iter().chain(memory.configs.references())
}

#[cfg(test)]
mod tests;
