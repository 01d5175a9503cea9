//! The Secrets of a workload that pods of every kind mount.

use std::collections::BTreeMap;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;

use crate::web::{WebConfigError, server};
use crate::workload::instance::Instance;
use crate::workload::metadata;
use crate::workload::operator::OperatorConfig;

/// A Secret with one file.
pub(crate) fn with_file<S>(
    instance: &Instance<'_, S>,
    operator: &OperatorConfig,
    name: String,
    file: &str,
    content: impl Into<Vec<u8>>,
) -> Secret {
    Secret {
        metadata: metadata::content(instance.owner, operator, name),
        data: Some(BTreeMap::from([(file.to_owned(), ByteString(content.into()))])),
        ..Secret::default()
    }
}

/// The web configuration file, for pods that mount it below a directory; empty, if the user sets nothing.
pub(crate) fn web_config<S>(
    instance: &Instance<'_, S>,
    operator: &OperatorConfig,
    directory: &str,
) -> Result<Secret, WebConfigError> {
    let file = server::file(directory, &instance.web.cloned().unwrap_or_default())?;
    Ok(with_file(instance, operator, instance.web_config_name(), server::FILE, file))
}
