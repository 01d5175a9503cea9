//! A configuration that the user gave as a resource: an AlertmanagerConfig that is not restricted to its namespace, with
//! a global part from the Alertmanager itself.
//!
//! | file | owns |
//! |---|---|
//! | `check` | what the global part must be |
//! | `client` | what an HTTP client of the global part must be |
//! | `part` | the global part in the words of Alertmanager |

mod check;
mod client;
mod part;

use std::collections::{BTreeMap, BTreeSet};

use api_monitoring::AlertmanagerConfig;
use api_monitoring::alertmanager::global::AlertmanagerGlobalConfig;
use formats::alertmanager::{Config, Fit, Fitting, Refusal};
use formats::version::Version;
use monitoring_assets::{Objects, Reader, Reference};
use monitoring_select::references::References;

use crate::convert::{self, Convert};
use crate::raw_configuration::{BadRoot, check_root};

/// Why a resource cannot be the base.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// It cannot be converted.
    #[error(transparent)]
    Conversion(#[from] convert::Error),
    /// The version has not what it asks for.
    #[error(transparent)]
    Version(#[from] Refusal),
    /// Its root route cannot be one.
    #[error(transparent)]
    Root(#[from] BadRoot),
}

/// A base, and what was read for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Base {
    /// The configuration.
    pub config: Config,
    /// Secrets and ConfigMaps that were read.
    pub references: BTreeSet<Reference>,
    /// Certificates and keys of the global part, by the name under which they are mounted.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// The base from a resource that was checked like all others, and from the global part.
pub fn base(
    resource: &AlertmanagerConfig,
    global: Option<&AlertmanagerGlobalConfig>,
    version: &Version,
    objects: &Objects,
) -> Result<Base, Error> {
    let namespace = resource.metadata.namespace.as_deref().unwrap_or_default();
    let name = resource.metadata.name.as_deref().unwrap_or_default();
    let reader = Reader::new(objects, namespace);
    let convert = Convert { reader: &reader, version, name, global: None };
    let collected = References::new(objects, namespace);
    let global = match global {
        Some(global) => {
            check::check(global, &convert)?;
            Some(convert.global_part(global, &collected)?)
        }
        None => None,
    };
    let mut config = Convert { global: global.as_ref(), ..convert }.config(resource)?;
    config.global = global;
    config.fit(&Fitting::new(version))?;
    check_root(config.route.as_ref())?;
    let collected = collected.verdict(Ok(())).map_err(|refused| convert::Error::Unusable(refused.problem))?;
    let mut references = reader.references();
    references.extend(collected.references);
    let files = collected.files.into_iter().map(|(name, content)| (name, content.to_owned())).collect();
    Ok(Base { config, references, files })
}
