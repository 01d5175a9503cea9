//! A base configuration from the AlertmanagerConfig that `spec.alertmanagerConfiguration` names, with the global settings
//! of the Alertmanager. It applies to alerts of all namespaces.
//!
//! | file | owns |
//! |---|---|
//! | `check` | checks of the global settings |
//! | `part` | converts the global settings |

mod check;
mod part;

use std::collections::BTreeMap;

use api_monitoring::AlertmanagerConfig;
use api_monitoring::alertmanager::global::AlertmanagerGlobalConfig;
use formats::alertmanager::{Config, Fit, Fitting};
use formats::version::Version;
use monitoring_assets::{Objects, Reader};
use monitoring_select::Problem;
use monitoring_select::references::References;

use crate::convert::{Convert, unreadable};
use crate::raw_configuration::check_root;

/// The base configuration from a resource that was checked like all others, and from the global settings; and the
/// certificates and keys of the global settings, by the name under which they are mounted.
pub fn base(
    resource: &AlertmanagerConfig,
    global: Option<&AlertmanagerGlobalConfig>,
    version: &Version,
    objects: &Objects,
) -> Result<(Config, BTreeMap<String, Vec<u8>>), Problem> {
    let namespace = resource.metadata.namespace.as_deref().unwrap_or_default();
    let name = resource.metadata.name.as_deref().unwrap_or_default();
    let reader = Reader::new(objects, namespace);
    let convert = Convert { reader: &reader, version, name, global: None };
    let references = References::new(objects, namespace);
    let global = match global {
        Some(global) => {
            check::check(global, &convert)?;
            Some(convert.global_part(global, &references)?)
        }
        None => None,
    };
    let mut config = Convert { global: global.as_ref(), ..convert }.config(resource)?;
    config.global = global;
    config.fit(&Fitting::new(version)).map_err(unreadable)?;
    check_root(config.route.as_ref()).map_err(unreadable)?;
    let files =
        references.accepted().files.into_iter().map(|(name, content)| (name, content.to_owned())).collect();
    Ok((config, files))
}
