//! The configuration of an Alertmanager: the base, and what the selected AlertmanagerConfigs add to it.

use std::collections::BTreeMap;

use api_monitoring::{Alertmanager, AlertmanagerConfig};
use formats::alertmanager::global::Global;
use formats::alertmanager::{Config, ConfigError, Warning};
use formats::version::Version;
use formats::yaml::serde::Error as WriteError;
use k8s_openapi::ByteString;
use monitoring_assets::Objects;
use monitoring_select::Problem;

use crate::merge::{ConfigPart, MergeTarget, join};
use crate::{convert, global, raw_configuration};

/// The key of the configuration in the user's Secret.
const KEY: &str = "alertmanager.yaml";
/// The directory in which templates are mounted.
const TEMPLATES: &str = "/etc/alertmanager/templates/";
/// The configuration if the user provides none. It sends no notifications.
const DEFAULT: &str = "route:\n  receiver: 'null'\nreceivers:\n- name: 'null'";

/// Everything that the base of a configuration depends on.
#[derive(Debug, Clone, Copy)]
pub struct BaseInputs<'i> {
    /// The Alertmanager.
    pub alertmanager: &'i Alertmanager,
    /// The AlertmanagerConfig that `spec.alertmanagerConfiguration` names, if it exists. It was checked like the others.
    pub global: Option<&'i AlertmanagerConfig>,
    /// Secrets and ConfigMaps.
    pub objects: &'i Objects,
    /// The version of Alertmanager.
    pub version: &'i Version,
}

/// The content of the generated Secrets.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Configuration {
    /// The configuration.
    pub text: Vec<u8>,
    /// Other keys of the user's Secret, which are copied.
    pub others: BTreeMap<String, ByteString>,
    /// Fields that are not in the configuration because the version of Alertmanager does not support them.
    pub left_out: Vec<Warning>,
    /// Certificates and keys of the global settings, by the name under which they are mounted.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// Why there is no configuration.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ProvisionError {
    /// The AlertmanagerConfig that is the base does not exist.
    #[error(
        "failed to get global AlertmanagerConfig: alertmanagerconfigs.monitoring.coreos.com {0:?} not found"
    )]
    NoGlobal(String),
    /// The AlertmanagerConfig cannot be the base.
    #[error("failed to initialize from global AlertmanagerConfig: {0}")]
    Global(#[from] Problem),
    /// The user's own configuration cannot be used.
    #[error("failed to initialize from secret: {0}")]
    Base(#[from] raw_configuration::RawConfigurationError),
    /// The version of Alertmanager does not support the base.
    #[error("failed to generate Alertmanager configuration: {0}")]
    Version(#[from] ConfigError),
    /// The configuration cannot be written.
    #[error("failed to marshal configuration: {0}")]
    Write(#[from] WriteError),
}

/// What the AlertmanagerConfigs are added to.
#[derive(Debug, Clone, PartialEq)]
pub enum Base {
    /// Nothing is added: the user provides the whole configuration.
    Whole(Configuration),
    /// A configuration to add to.
    Started(Box<Started>),
}

/// A configuration to which AlertmanagerConfigs are added.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Started {
    config: Config,
    others: BTreeMap<String, ByteString>,
    files: BTreeMap<String, Vec<u8>>,
}

impl Started {
    /// The global settings, which receivers fall back to.
    pub fn global(&self) -> Option<&Global> {
        self.config.global.as_ref()
    }

    /// The configuration with all parts.
    pub fn finish<'p>(
        self,
        parts: impl IntoIterator<Item = &'p ConfigPart>,
        version: &Version,
    ) -> Result<Configuration, ProvisionError> {
        let (config, left_out) = join(self.config, parts, version)?;
        let text = config.to_text()?.into_bytes();
        Ok(Configuration { text, others: self.others, left_out, files: self.files })
    }
}

impl<'i> BaseInputs<'i> {
    /// What AlertmanagerConfigs are converted for.
    pub fn target(&self) -> MergeTarget<'i> {
        MergeTarget {
            namespace: self.alertmanager.metadata.namespace.as_deref().unwrap_or_default(),
            strategy: &self.alertmanager.spec.alertmanager_config_matcher_strategy,
            version: self.version,
            objects: self.objects,
        }
    }

    /// What AlertmanagerConfigs are added to.
    pub fn base(&self) -> Result<Base, ProvisionError> {
        let spec = &self.alertmanager.spec;
        let started = if let Some(configuration) = &spec.alertmanager_configuration {
            let resource = self.global.ok_or_else(|| ProvisionError::NoGlobal(configuration.name.clone()))?;
            let settings = configuration.global.as_ref();
            let (mut config, files) = global::base(resource, settings, self.version, self.objects)?;
            let templates = configuration.templates.iter().flat_map(|template| {
                let map = template.config_map.as_ref().map(|map| &map.key);
                map.into_iter().chain(template.secret.as_ref().map(|secret| &secret.key))
            });
            config.templates = templates.map(|key| format!("{TEMPLATES}{key}")).collect();
            Started { config, files, ..Started::default() }
        } else {
            let (text, others) = self.own();
            if spec.alertmanager_config_selector.is_none() {
                return Ok(Base::Whole(Configuration { text, others, ..Configuration::default() }));
            }
            let config = raw_configuration::read(&convert::text(&text))?;
            Started { config, others, ..Started::default() }
        };
        Ok(Base::Started(Box::new(started)))
    }

    /// The configuration in the user's Secret, and the other keys of the Secret.
    fn own(&self) -> (Vec<u8>, BTreeMap<String, ByteString>) {
        let metadata = &self.alertmanager.metadata;
        let name = match self.alertmanager.spec.config_secret.as_str() {
            "" => format!("alertmanager-{}", metadata.name.as_deref().unwrap_or_default()),
            name => name.to_owned(),
        };
        let secret = self.objects.secret(metadata.namespace.as_deref().unwrap_or_default(), &name);
        let mut others = secret.and_then(|secret| secret.data.clone()).unwrap_or_default();
        let text = others.remove(KEY).map(|text| text.0).filter(|text| !text.is_empty());
        (text.unwrap_or_else(|| DEFAULT.as_bytes().to_vec()), others)
    }
}
