//! The DaemonSet of an agent that runs on every node. It keeps no data and has no shards.

use k8s_openapi::api::apps::v1::{DaemonSet, DaemonSetSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use super::{arguments, image};
use crate::prometheus::pods::flags::Flags;
use crate::prometheus::pods::instance::Instance;
use crate::prometheus::pods::pod::{self, Draft, PodError};
use crate::prometheus::pods::shard::Built;
use crate::prometheus::pods::volumes::{Data, Volumes};
use crate::workload::metadata::{self, Workload};
use crate::workload::operator::OperatorConfig;
use crate::workload::reloader::Values;

/// A DaemonSet that cannot be made.
#[derive(Debug, thiserror::Error)]
#[error("make DaemonSet spec: {0}")]
pub struct DaemonSetError(pub PodError);

/// The DaemonSet, with the Secrets that hold certificates and keys.
pub fn build(
    instance: &Instance<'_>,
    operator: &OperatorConfig,
    tls_secrets: &[String],
) -> Result<Built<DaemonSet>, DaemonSetError> {
    let mut flags = Flags::new(&instance.version);
    let draft = draft(instance, operator, tls_secrets, &mut flags).map_err(DaemonSetError)?;
    let selector = draft.selector.clone();
    let template = pod::build(instance, operator, draft).map_err(DaemonSetError)?;
    let (name, mode) = (instance.object_name(), instance.mode_labels());
    let workload = Workload { name: &name, labels: &mode, selector: &selector, input_hash: None };
    let object = DaemonSet {
        metadata: metadata::workload(instance.owner(), operator, workload),
        spec: Some(DaemonSetSpec {
            min_ready_seconds: instance.spec.min_ready_seconds.filter(|seconds| *seconds != 0),
            selector: LabelSelector { match_labels: Some(selector), ..LabelSelector::default() },
            template,
            ..DaemonSetSpec::default()
        }),
        ..DaemonSet::default()
    };
    Ok(Built { object, left_out: flags.left_out })
}

fn draft<'d>(
    instance: &Instance<'_>,
    operator: &OperatorConfig,
    tls_secrets: &[String],
    flags: &mut Flags<'_>,
) -> Result<Draft<'d>, PodError> {
    let image = image(instance, operator)?;
    arguments::put(instance, flags);
    let mut volumes = Volumes::shared(instance, tls_secrets, Data::Nowhere)?;
    volumes.mount_web_config(instance, flags, true)?;
    Ok(Draft {
        image,
        arguments: std::mem::take(&mut flags.arguments),
        volumes,
        values: Values { node: true, shard: Some(0), ..Values::default() },
        node_selector: instance.spec.node_selector.clone(),
        selector: instance.selector(operator, None),
        ..Draft::default()
    })
}
