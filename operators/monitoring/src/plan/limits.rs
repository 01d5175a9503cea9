//! The limits of Kubernetes: the length of names and the size of objects.

use formats::gzip;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::plan::child::Child;
use crate::plan::planned::{PlanError, PlanRemark, Planned, PlannedConfiguration};

/// The maximum length of the value of a label. A label of the pods holds the name of their workload.
const LABEL: usize = 63;

/// The maximum length of the name of a StatefulSet: a label of its pods holds it with a hash.
const STATEFUL_SET: usize = LABEL - 11;

/// The maximum size of a Secret in bytes.
const SECRET: usize = 1024 * 1024;

/// Rejects a workload whose name is too long for its objects.
pub(crate) fn check_name(metadata: &ObjectMeta) -> Result<(), PlanError> {
    let name = metadata.name.as_deref().unwrap_or_default();
    if name.len() <= LABEL {
        return Ok(());
    }
    Err(PlanError::new(&format!(
        "metadata.name has {} characters; labels of the pods contain it and are limited to {LABEL}: give the resource \
         a shorter name",
        name.len()
    )))
}

/// Rejects objects that are too large to be written or loaded. Names that are too long for pods are reported.
pub(crate) fn check(planned: &mut Planned) -> Result<(), PlanError> {
    let size = planned.configuration.as_ref().map_or(0, PlannedConfiguration::size);
    if size > gzip::LARGEST {
        return Err(PlanError::new(&format!(
            "the configuration would have {size} bytes, and the reloader of the pods reads {} at most: select fewer \
             resources, or distribute them over several workloads; the last configuration is kept",
            gzip::LARGEST
        )));
    }
    let mut remarks = Vec::new();
    for child in &planned.children {
        let name = child.metadata().name.as_deref().unwrap_or_default();
        match child {
            Child::Secret(secret) => {
                let size: usize = secret.data.iter().flatten().map(|(_, bytes)| bytes.0.len()).sum();
                if size > SECRET {
                    return Err(PlanError::new(&format!(
                        "Secret {name} would hold {size} bytes and can hold {SECRET}: select fewer resources, or \
                         distribute them over several workloads; the last configuration is kept"
                    )));
                }
            }
            Child::StatefulSet(_) if name.len() > STATEFUL_SET => {
                remarks.push(PlanRemark::LongName { name: name.to_owned(), longest: STATEFUL_SET });
            }
            Child::StatefulSet(_) | Child::ConfigMap(_) | Child::Service(_) | Child::DaemonSet(_) => {}
        }
    }
    planned.remarks.extend(remarks);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_that_is_too_large_for_the_reloader_is_rejected() {
        let of = |size: u64| {
            let piece: std::sync::Arc<str> = "x".repeat(1 << 20).into();
            let pieces = usize::try_from(size >> 20).unwrap();
            Planned { configuration: Some(PlannedConfiguration(vec![piece; pieces])), ..Planned::default() }
        };
        assert_eq!(check(&mut of(gzip::LARGEST)), Ok(()));
        let refused = check(&mut of(gzip::LARGEST + (1 << 20))).unwrap_err();
        assert!(refused.message.starts_with("the configuration would have 68157440 bytes"), "{refused}");
    }
}
