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

use std::collections::BTreeSet;

use api_monitoring::AlertmanagerConfig;
use api_monitoring::alertmanager::global::AlertmanagerGlobalConfig;
use formats::alertmanager::{Config, Fit, Fitting, Refusal};
use formats::version::Version;
use monitoring_assets::{Objects, Reader, Reference};

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
    let global = match global {
        Some(global) => {
            check::check(global, &convert)?;
            Some(convert.global_part(global)?)
        }
        None => None,
    };
    let mut config = Convert { global: global.as_ref(), ..convert }.config(resource)?;
    config.global = global;
    config.fit(&Fitting::new(version))?;
    check_root(config.route.as_ref())?;
    Ok(Base { config, references: reader.references() })
}
