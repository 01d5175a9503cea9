//! Renders the workloads in files, with the other objects in the same files.

use std::sync::Arc;

use api_monitoring::alertmanager_config::convert::from_v1beta1;
use api_monitoring::{Alertmanager, Prometheus, PrometheusAgent, SelectableKind, ThanosRuler};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kernel::object::Object;
use kube::api::{ApiResource, DynamicObject};
use product::{InputDocument, RenderOutput};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::offline::{self, OfflineFiles};
use crate::plan::{PlanError, Planned};
use crate::{OfAgent, OfAlertmanager, OfPrometheus, OfThanosRuler, kind};

/// A label that every namespace has.
const NAME_LABEL: &str = "kubernetes.io/metadata.name";

/// The objects and configurations of all workloads.
pub(super) fn render(documents: Vec<InputDocument>) -> RenderOutput {
    let mut input = Input::read(documents);
    let failures = std::mem::take(&mut input.failures);
    let mut rendered = RenderOutput { failures, ..RenderOutput::default() };
    for workload in &input.workloads {
        let name = workload.name();
        match input.plan(workload, &mut rendered) {
            Ok(planned) => {
                planned.children.iter().for_each(|child| rendered.add(&child.value()));
                let text = planned.configuration.map(|one| one.text()).unwrap_or_default();
                rendered.configurations.push((name, text));
            }
            Err(invalid) => rendered.failures.push(format!("{name}: {invalid}")),
        }
    }
    rendered
}

/// The contents of the files.
#[derive(Debug, Default)]
struct Input {
    files: OfflineFiles,
    workloads: Vec<Workload>,
    failures: Vec<String>,
}

/// A workload.
#[derive(Debug)]
enum Workload {
    Prometheus(Box<Prometheus>),
    Agent(Box<PrometheusAgent>),
    Alertmanager(Box<Alertmanager>),
    ThanosRuler(Box<ThanosRuler>),
}

impl Workload {
    /// `kind/namespace/name`, as on the command line.
    fn name(&self) -> String {
        let (kind, metadata) = match self {
            Self::Prometheus(one) => ("prometheus", &one.metadata),
            Self::Agent(one) => ("prometheusagent", &one.metadata),
            Self::Alertmanager(one) => ("alertmanager", &one.metadata),
            Self::ThanosRuler(one) => ("thanosruler", &one.metadata),
        };
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        format!("{kind}/{}/{}", text(&metadata.namespace), text(&metadata.name))
    }
}

impl Input {
    /// Sorts documents by kind. A document that cannot be read is a failure, and the others are still used.
    fn read(documents: Vec<InputDocument>) -> Self {
        let mut input = Self::default();
        for document in documents {
            input.add(document);
        }
        input
    }

    fn add(&mut self, document: InputDocument) {
        let name = document.name();
        if let Some(namespace) = document.value["metadata"]["namespace"].as_str() {
            self.files
                .namespaces
                .entry(namespace.to_owned())
                .or_default()
                .insert(NAME_LABEL.into(), namespace.to_owned());
        }
        let (kind, api_version) = (document.kind().to_owned(), document.api_version().to_owned());
        let value = document.value;
        let outcome = match kind.as_str() {
            "Secret" => read(value).map(|secret| self.files.objects.add_secret(with_data(secret))),
            "ConfigMap" => read::<ConfigMap>(value).map(|map| self.files.objects.add_config_map(map)),
            "Namespace" => {
                self.add_namespace(&value);
                Ok(())
            }
            "Prometheus" => self.add_workload(value, Workload::Prometheus),
            "PrometheusAgent" => self.add_workload(value, Workload::Agent),
            "Alertmanager" => self.add_workload(value, Workload::Alertmanager),
            "ThanosRuler" => self.add_workload(value, Workload::ThanosRuler),
            _ => self.add_selectable(&kind, &api_version, value),
        };
        if let Err(message) = outcome {
            self.failures.push(format!("{name}: {message}"));
        }
    }

    fn add_workload<T: DeserializeOwned>(
        &mut self,
        value: Value,
        make: impl FnOnce(Box<T>) -> Workload,
    ) -> Result<(), String> {
        self.workloads.push(make(Box::new(read(value)?)));
        Ok(())
    }

    fn add_namespace(&mut self, value: &Value) {
        let name = value["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        let labels = value["metadata"]["labels"].as_object().into_iter().flatten();
        let labels = labels.filter_map(|(label, value)| Some((label.clone(), value.as_str()?.to_owned())));
        let known = self.files.namespaces.entry(name.clone()).or_default();
        known.extend(labels);
        known.insert(NAME_LABEL.into(), name);
    }

    fn add_selectable(&mut self, kind: &str, api_version: &str, value: Value) -> Result<(), String> {
        let value = if api_version.ends_with("v1beta1") {
            from_v1beta1(value).map_err(|error| error.to_string())?
        } else {
            value
        };
        let Some(selectable) = SelectableKind::named(kind) else {
            return Err(format!("there is no kind {kind:?} in {api_version:?}"));
        };
        let dynamic: DynamicObject = read(value)?;
        let resource = ApiResource {
            group: "monitoring.coreos.com".into(),
            version: String::new(),
            api_version: api_version.to_owned(),
            kind: kind.to_owned(),
            plural: String::new(),
        };
        self.files.resources[selectable].put(Arc::new(Object::new(dynamic, &resource)));
        Ok(())
    }

    /// The plan of a workload. Notes about the workload and the resources that it selects are added to `rendered`.
    fn plan(&self, workload: &Workload, rendered: &mut RenderOutput) -> Result<Planned, PlanError> {
        match workload {
            Workload::Prometheus(one) => self.plan_of::<OfPrometheus>(one, workload, rendered),
            Workload::Agent(one) => self.plan_of::<OfAgent>(one, workload, rendered),
            Workload::Alertmanager(one) => self.plan_of::<OfAlertmanager>(one, workload, rendered),
            Workload::ThanosRuler(one) => self.plan_of::<OfThanosRuler>(one, workload, rendered),
        }
    }

    fn plan_of<W: kind::Workload>(
        &self,
        resource: &W::Resource,
        workload: &Workload,
        rendered: &mut RenderOutput,
    ) -> Result<Planned, PlanError> {
        let settings = super::default_settings();
        let (planned, made) = offline::plan::<W>(resource, &self.files, &settings);
        let name = workload.name();
        let rejected = made.judged().filter_map(|one| {
            let object = one.object;
            Some(format!("{} {} is not in {name}: {}", one.kind.name(), object.key(), one.rejection?))
        });
        rendered.notes.extend(rejected);
        if let Ok(planned) = &planned {
            rendered.notes.extend(planned.remarks.iter().map(|remark| format!("{name}: {remark}")));
        }
        planned
    }
}

fn read<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    serde_json::from_value(value).map_err(|error| format!("it cannot be read: {error}"))
}

/// Moves `stringData` to `data`, as the API server does.
fn with_data(mut secret: Secret) -> Secret {
    for (key, text) in secret.string_data.take().unwrap_or_default() {
        let bytes = k8s_openapi::ByteString(text.into_bytes());
        secret.data.get_or_insert_default().insert(key, bytes);
    }
    secret
}
