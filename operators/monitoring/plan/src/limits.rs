//! What Kubernetes takes: how long names may be, and how large objects.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::child::Child;
use crate::planned::{Invalid, Planned, Remark};

/// How long the value of a label may be. The labels of pods carry the name of their workload.
const LABEL: usize = 63;

/// How long the name of a StatefulSet may be: a label of its pods carries it with a hash.
const STATEFUL_SET: usize = LABEL - 11;

/// How many bytes a Secret holds.
const SECRET: usize = 1024 * 1024;

/// Refuses a workload whose name no object could carry.
pub(crate) fn check_name(metadata: &ObjectMeta) -> Result<(), Invalid> {
    let name = metadata.name.as_deref().unwrap_or_default();
    if name.len() <= LABEL {
        return Ok(());
    }
    Err(Invalid::new(&format!(
        "metadata.name has {} characters; labels of the pods carry it and hold {LABEL} at most: give the resource a \
         shorter name",
        name.len()
    )))
}

/// Refuses what is too large to be written, and tells of names with which no pods come.
pub(crate) fn check(planned: &mut Planned) -> Result<(), Invalid> {
    let mut remarks = Vec::new();
    for child in &planned.children {
        let name = child.metadata().name.as_deref().unwrap_or_default();
        match child {
            Child::Secret(secret) => {
                let size: usize = secret.data.iter().flatten().map(|(_, bytes)| bytes.0.len()).sum();
                if size > SECRET {
                    return Err(Invalid::new(&format!(
                        "Secret {name} would hold {size} bytes and can hold {SECRET}: select fewer resources, or spread \
                         them over several workloads; what was written last stays"
                    )));
                }
            }
            Child::StatefulSet(_) if name.len() > STATEFUL_SET => {
                remarks.push(Remark::LongName { name: name.to_owned(), longest: STATEFUL_SET });
            }
            Child::StatefulSet(_) | Child::ConfigMap(_) | Child::Service(_) | Child::DaemonSet(_) => {}
        }
    }
    planned.remarks.extend(remarks);
    Ok(())
}
