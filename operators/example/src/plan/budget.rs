//! How many instances a drain may evict at once.

use k8s_openapi::api::policy::v1::{PodDisruptionBudget, PodDisruptionBudgetSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::metadata;
use crate::gather::Inputs;
use crate::validate::Valid;

pub(super) fn build(valid: &Valid, inputs: &Inputs) -> PodDisruptionBudget {
    let selector =
        LabelSelector { match_labels: Some(inputs.names.selector.clone()), ..LabelSelector::default() };
    let spec = PodDisruptionBudgetSpec {
        max_unavailable: Some(IntOrString::Int(1)),
        selector: Some(selector),
        // An instance that does not become ready must not block a drain.
        unhealthy_pod_eviction_policy: Some("AlwaysAllow".into()),
        ..PodDisruptionBudgetSpec::default()
    };
    PodDisruptionBudget {
        metadata: metadata(valid, valid.name.clone()),
        spec: Some(spec),
        ..PodDisruptionBudget::default()
    }
}
