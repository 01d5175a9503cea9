//! Everything that the generated Secret holds.

use std::collections::{BTreeMap, BTreeSet};

use api_monitoring::{Alertmanager, AlertmanagerConfig};
use formats::alertmanager::global::Global;
use formats::alertmanager::{Config, Refusal, Warning};
use formats::version::Version;
use formats::yaml::serde::Error as WriteError;
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use monitoring_assets::{Objects, Reference, Source};

use crate::merge::{Merged, Part, Refused, Target, join, merge};
use crate::{convert, global, raw_configuration};

/// The key under which a user's configuration is.
pub const KEY: &str = "alertmanager.yaml";
/// Where templates are mounted.
const TEMPLATES: &str = "/etc/alertmanager/templates/";
/// What is taken if the user gives nothing: nobody is told.
const NOTHING: &str = "route:\n  receiver: 'null'\nreceivers:\n- name: 'null'";

/// Everything that matters to the configuration of an Alertmanager.
#[derive(Debug, Clone, Copy)]
pub struct Inputs<'i> {
    /// The Alertmanager.
    pub alertmanager: &'i Alertmanager,
    /// The AlertmanagerConfig that it names as its base, if it is there. It was checked like the others.
    pub global: Option<&'i AlertmanagerConfig>,
    /// The AlertmanagerConfigs that it selected and that were accepted, in the order of their namespaces and names.
    pub accepted: &'i [&'i AlertmanagerConfig],
    /// Secrets and ConfigMaps.
    pub objects: &'i Objects,
    /// The version that runs.
    pub version: &'i Version,
}

/// What the generated Secret holds, and what is to be told.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Configuration {
    /// The configuration.
    pub text: Vec<u8>,
    /// Other keys of the user's Secret, which go along.
    pub others: BTreeMap<String, ByteString>,
    /// What was asked for and is not in the configuration.
    pub left_out: Vec<Warning>,
    /// Secrets and ConfigMaps that it depends on.
    pub references: BTreeSet<Reference>,
    /// Certificates and keys of the global part, by the name under which they are mounted. Those of the resources are
    /// with their verdicts.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Resources that are not in it.
    pub refused: Vec<Refused>,
}

/// Why there is no configuration.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// The AlertmanagerConfig that is the base is not there.
    #[error(
        "failed to get global AlertmanagerConfig: alertmanagerconfigs.monitoring.coreos.com {0:?} not found"
    )]
    NoGlobal(String),
    /// It cannot be the base.
    #[error("failed to initialize from global AlertmanagerConfig: {0}")]
    Global(#[from] global::Error),
    /// The user's own configuration cannot be used.
    #[error("failed to initialize from secret: {0}")]
    Base(#[from] raw_configuration::Error),
    /// The base asks for what the version has not.
    #[error("failed to generate Alertmanager configuration: {0}")]
    Version(#[from] Refusal),
    /// It cannot be written.
    #[error("failed to marshal configuration: {0}")]
    Write(#[from] WriteError),
}

/// What the resources of an Alertmanager are added to.
#[derive(Debug, Clone, PartialEq)]
pub enum Base {
    /// Nothing is added: the user cares for everything.
    Whole(Configuration),
    /// A configuration that was read.
    Started(Box<Started>),
}

/// A configuration to which resources are added.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Started {
    config: Config,
    others: BTreeMap<String, ByteString>,
    references: BTreeSet<Reference>,
    files: BTreeMap<String, Vec<u8>>,
}

impl Started {
    /// Its global part, which decides what resources must say themselves.
    pub fn global(&self) -> Option<&Global> {
        self.config.global.as_ref()
    }

    /// The configuration with what resources add.
    pub fn finish<'p>(
        self,
        parts: impl IntoIterator<Item = &'p Part>,
        version: &Version,
    ) -> Result<Configuration, Error> {
        let (config, left_out) = join(self.config, parts, version)?;
        Ok(Configuration {
            text: config.to_text()?.into_bytes(),
            others: self.others,
            left_out,
            references: self.references,
            files: self.files,
            refused: Vec::new(),
        })
    }
}

/// Makes the configuration of an Alertmanager.
pub fn provision(inputs: &Inputs<'_>) -> Result<Configuration, Error> {
    let started = match base(inputs)? {
        Base::Whole(configuration) => return Ok(configuration),
        Base::Started(started) => started,
    };
    let target = target(inputs);
    let Merged { config, warnings, references, refused } =
        merge(started.config, inputs.accepted.iter().copied(), &target)?;
    Ok(Configuration {
        text: config.to_text()?.into_bytes(),
        others: started.others,
        left_out: warnings,
        references: started.references.into_iter().chain(references).collect(),
        files: started.files,
        refused,
    })
}

/// For whom resources are converted.
pub fn target<'i>(inputs: &Inputs<'i>) -> Target<'i> {
    Target {
        namespace: inputs.alertmanager.metadata.namespace.as_deref().unwrap_or_default(),
        strategy: &inputs.alertmanager.spec.alertmanager_config_matcher_strategy,
        version: inputs.version,
        objects: inputs.objects,
    }
}

/// What resources are added to.
pub fn base(inputs: &Inputs<'_>) -> Result<Base, Error> {
    let spec = &inputs.alertmanager.spec;
    let own = Own::of(inputs);
    if spec.alertmanager_config_selector.is_none() && spec.alertmanager_configuration.is_none() {
        return Ok(Base::Whole(Configuration {
            text: own.text,
            others: own.others,
            references: own.reference.into(),
            ..Configuration::default()
        }));
    }
    let Some(configuration) = &spec.alertmanager_configuration else {
        let config = raw_configuration::read(&convert::text(&own.text))?;
        let (others, references) = (own.others, own.reference.into());
        return Ok(Base::Started(Box::new(Started { config, others, references, ..Started::default() })));
    };
    let resource = inputs.global.ok_or_else(|| Error::NoGlobal(configuration.name.clone()))?;
    let base = global::base(resource, configuration.global.as_ref(), inputs.version, inputs.objects)?;
    let templates = configuration.templates.iter().flat_map(|template| {
        let map = template.config_map.as_ref().map(|map| &map.key);
        map.into_iter().chain(template.secret.as_ref().map(|secret| &secret.key))
    });
    let mut config = base.config;
    config.templates = templates.map(|key| format!("{TEMPLATES}{key}")).collect();
    let (references, files) = (base.references, base.files);
    Ok(Base::Started(Box::new(Started { config, references, files, ..Started::default() })))
}

/// What the user wrote into a Secret.
struct Own {
    text: Vec<u8>,
    others: BTreeMap<String, ByteString>,
    reference: [Reference; 1],
}

impl Own {
    fn of(inputs: &Inputs<'_>) -> Self {
        let metadata = &inputs.alertmanager.metadata;
        let namespace = metadata.namespace.clone().unwrap_or_default();
        let name = match inputs.alertmanager.spec.config_secret.as_str() {
            "" => format!("alertmanager-{}", metadata.name.as_deref().unwrap_or_default()),
            name => name.to_owned(),
        };
        let mut others = inputs.objects.secret(&namespace, &name).map(data).unwrap_or_default();
        let text = others.remove(KEY).map(|text| text.0).filter(|text| !text.is_empty());
        Self {
            text: text.unwrap_or_else(|| NOTHING.as_bytes().to_vec()),
            others,
            reference: [Reference { source: Source::Secret, namespace, name }],
        }
    }
}

fn data(secret: &Secret) -> BTreeMap<String, ByteString> {
    secret.data.clone().unwrap_or_default()
}
