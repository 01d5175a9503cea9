//! The workloads of monitoring, with all that is beside them in the files.

use std::sync::Arc;

use anyhow::{Result, bail};
use api_monitoring::alertmanager_config::convert::from_v1beta1;
use api_monitoring::{Alertmanager, Prometheus, PrometheusAgent, SelectableKind, ThanosRuler};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kernel::object::Object;
use kube::api::{ApiResource, DynamicObject};
use operator_monitoring::offline::{self, Files};
use operator_monitoring::plan::{Invalid, Planned};
use operator_monitoring::{OfAgent, OfAlertmanager, OfPrometheus, OfThanosRuler, kind};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Rendered;
use super::documents::Document;
use super::schema::Schemas;

/// A label that every namespace has.
const NAME_LABEL: &str = "kubernetes.io/metadata.name";

/// Everything that the files hold.
#[derive(Debug, Default)]
pub(super) struct Input {
    files: Files,
    workloads: Vec<Workload>,
    notes: Vec<String>,
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
    /// Sorts documents. What is wrong with one of them is told and stops no other.
    pub(super) fn read(documents: impl IntoIterator<Item = Document>) -> Self {
        let documents: Vec<Document> = documents.into_iter().collect();
        let kinds: Vec<&str> = documents.iter().map(Document::kind).collect();
        let mut input = Self::default();
        match Schemas::read(&kinds) {
            Ok(schemas) => documents.into_iter().for_each(|document| input.add(document, &schemas)),
            Err(error) => input.failures.push(format!("a definition of ours cannot be read: {error:#}")),
        }
        input
    }

    fn add(&mut self, document: Document, schemas: &Schemas) {
        let name = document.name();
        if let Some(namespace) = document.value["metadata"]["namespace"].as_str() {
            self.files
                .namespaces
                .entry(namespace.to_owned())
                .or_default()
                .insert(NAME_LABEL.into(), namespace.to_owned());
        }
        let outcome = match document.kind() {
            "Secret" => read(document.value).map(|secret| self.files.objects.add_secret(with_data(secret))),
            "ConfigMap" => {
                read::<ConfigMap>(document.value).map(|map| self.files.objects.add_config_map(map))
            }
            "Namespace" => {
                self.add_namespace(&document.value);
                Ok(())
            }
            _ => self.add_resource(document, schemas),
        };
        if let Err(words) = outcome {
            self.failures.push(format!("{name}: {words}"));
        }
    }

    fn add_namespace(&mut self, value: &Value) {
        let name = value["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        let labels = value["metadata"]["labels"].as_object().into_iter().flatten();
        let labels = labels.filter_map(|(label, value)| Some((label.clone(), value.as_str()?.to_owned())));
        let known = self.files.namespaces.entry(name.clone()).or_default();
        known.extend(labels);
        known.insert(NAME_LABEL.into(), name);
    }

    fn add_resource(&mut self, document: Document, schemas: &Schemas) -> Result<(), String> {
        let (name, kind) = (document.name(), document.kind().to_owned());
        let api_version = document.api_version().to_owned();
        let mut value = document.value;
        let Some(findings) = schemas.admit(&api_version, &kind, &mut value) else {
            return Err(format!("there is no kind {kind:?} in {api_version:?}"));
        };
        let notes = findings.unknown.iter().map(|field| format!("{name}: {field} is unknown and ignored"));
        self.notes.extend(notes);
        if !findings.refused.is_empty() {
            return Err(format!("the API server would refuse it: {}", findings.refused.join("; ")));
        }
        match kind.as_str() {
            "Prometheus" => self.workloads.push(Workload::Prometheus(Box::new(read(value)?))),
            "PrometheusAgent" => self.workloads.push(Workload::Agent(Box::new(read(value)?))),
            "Alertmanager" => self.workloads.push(Workload::Alertmanager(Box::new(read(value)?))),
            "ThanosRuler" => self.workloads.push(Workload::ThanosRuler(Box::new(read(value)?))),
            _ => self.add_selectable(&kind, &api_version, value)?,
        }
        Ok(())
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

    /// Adds the objects of all workloads.
    pub(super) fn render(mut self, rendered: &mut Rendered) {
        rendered.notes.append(&mut self.notes);
        rendered.failures.append(&mut self.failures);
        for workload in &self.workloads {
            match self.plan(workload, rendered) {
                Ok(planned) => planned.children.iter().for_each(|child| rendered.add(&child.value())),
                Err(invalid) => rendered.failures.push(format!("{}: {invalid}", workload.name())),
            }
        }
    }

    /// The configuration of one workload.
    pub(super) fn configuration(mut self, name: &str) -> Result<Rendered> {
        let Some(workload) = self.workloads.iter().find(|workload| workload.name() == name) else {
            let known: Vec<String> = self.workloads.iter().map(Workload::name).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            bail!("there is no {name} in these files; there is {known}");
        };
        let mut rendered = Rendered::default();
        match self.plan(workload, &mut rendered) {
            Ok(planned) => rendered.text = planned.configuration.map(|one| one.text()).unwrap_or_default(),
            Err(invalid) => rendered.failures.push(format!("{name}: {invalid}")),
        }
        rendered.notes.append(&mut self.notes);
        rendered.failures.append(&mut self.failures);
        Ok(rendered)
    }

    /// What follows from a workload, with what is to be told about it and about what it selects.
    fn plan(&self, workload: &Workload, rendered: &mut Rendered) -> Result<Planned, Invalid> {
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
        rendered: &mut Rendered,
    ) -> Result<Planned, Invalid> {
        let settings = crate::process::monitoring();
        let (planned, made) = offline::plan::<W>(resource, &self.files, &settings);
        let name = workload.name();
        let refused = made.judged().filter_map(|one| {
            let object = one.object;
            Some(format!("{} {} is not in {name}: {}", one.kind.name(), object.key(), one.refusal?))
        });
        rendered.notes.extend(refused);
        if let Ok(planned) = &planned {
            rendered.notes.extend(planned.remarks.iter().map(|remark| format!("{name}: {remark}")));
        }
        planned
    }
}

fn read<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    serde_json::from_value(value).map_err(|error| format!("it cannot be read: {error}"))
}

/// What is written as text counts as data, as on the server.
fn with_data(mut secret: Secret) -> Secret {
    for (key, text) in secret.string_data.take().unwrap_or_default() {
        let bytes = k8s_openapi::ByteString(text.into_bytes());
        secret.data.get_or_insert_default().insert(key, bytes);
    }
    secret
}
