//! The definitions (CRDs) of resources.

use anyhow::{Context, Result};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt;

/// The CRD of a kind of resource.
#[derive(Debug, Clone)]
pub enum Definition {
    /// Generated from the Rust type of the resource.
    OfType(Box<CustomResourceDefinition>),
    /// A generated file that contains more than the type.
    File {
        /// The plural of the kind.
        plural: &'static str,
        /// The content of the file.
        yaml: &'static str,
    },
}

impl Definition {
    /// The definition of a type.
    pub fn of<K: CustomResourceExt>() -> Self {
        Self::OfType(Box::new(K::crd()))
    }

    /// The plural of the kind.
    pub fn plural(&self) -> &str {
        match self {
            Self::OfType(definition) => &definition.spec.names.plural,
            Self::File { plural, .. } => plural,
        }
    }

    /// The definition as an object.
    pub fn read(&self) -> Result<CustomResourceDefinition> {
        match self {
            Self::OfType(definition) => Ok((**definition).clone()),
            Self::File { plural, yaml } => serde_saphyr::from_str(yaml)
                .with_context(|| format!("the definition of {plural} cannot be read")),
        }
    }

    /// As YAML.
    pub fn yaml(&self) -> Result<String> {
        match self {
            Self::OfType(definition) => serde_saphyr::to_string(definition)
                .with_context(|| format!("the definition of {} cannot be written", self.plural())),
            Self::File { yaml, .. } => Ok((*yaml).to_owned()),
        }
    }
}
