//! The parts of a pod that follow from the fields that all workloads share.

use api_monitoring::pod::{DnsPolicy, HostAlias, PodDnsConfig, PodDnsConfigOption, TopologySpreadConstraint};
use api_monitoring::workload::WorkloadSpec;
use formats::version::NotAVersion;
use k8s_openapi::api::core::v1::{
    Container, HostAlias as CoreAlias, PodDNSConfig, PodDNSConfigOption, PodSpec,
    TopologySpreadConstraint as CoreConstraint, Volume,
};

use crate::web::WebConfigError;
use crate::web::volume_name::NotAVolumeName;
use crate::workload::arguments::Collision;
use crate::workload::defaults::given;
use crate::workload::image::ImageError;
use crate::workload::labels::{self, Labels};
use crate::workload::merge::{self, MergeError};

/// How long a pod may take to stop, in seconds.
const GRACE_PERIOD: i64 = 120;

/// Pods that cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum PodError {
    /// There is no image.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// There is no image of Alertmanager or Thanos.
    #[error("failed to build image path: {0}")]
    ImagePath(#[source] ImageError),
    /// The version of Alertmanager cannot be read.
    #[error("failed to parse alertmanager version: {0}")]
    AlertmanagerVersion(#[source] NotAVersion),
    /// The version of Thanos cannot be read.
    #[error("failed to parse Thanos version: {0}")]
    ThanosVersion(#[source] NotAVersion),
    /// The version of a Thanos Ruler cannot be read.
    #[error("failed to parse Thanos Ruler version {text:?}: {source}")]
    ThanosRulerVersion {
        /// The version.
        text: String,
        /// Why not.
        source: NotAVersion,
    },
    /// A Thanos Ruler has no server that answers its queries.
    #[error("{0}: thanos ruler requires query config or at least one query endpoint to be specified")]
    NoQueryEndpoint(String),
    /// A volume cannot be named.
    #[error(transparent)]
    VolumeName(#[from] NotAVolumeName),
    /// The settings of the web server are invalid.
    #[error(transparent)]
    Web(#[from] WebConfigError),
    /// The settings of the connections between peers are invalid.
    #[error("failed to create the cluster TLS configuration: {0}")]
    Cluster(#[source] WebConfigError),
    /// The user sets flags of the operator.
    #[error(transparent)]
    Arguments(#[from] Collision),
    /// The user's containers cannot be merged.
    #[error("failed to merge containers spec: {0}")]
    Containers(#[source] MergeError),
    /// The user's init containers cannot be merged.
    #[error("failed to merge init containers spec: {0}")]
    InitContainers(#[source] MergeError),
}

/// What the pods of a workload are made from.
#[derive(Debug, Default)]
pub(crate) struct PodParts {
    /// The containers of the operator.
    pub(crate) containers: Vec<Container>,
    /// The init containers of the operator.
    pub(crate) init_containers: Vec<Container>,
    /// The volumes of the operator.
    pub(crate) volumes: Vec<Volume>,
    /// Whether the pods run in the network of their node.
    pub(crate) host_network: bool,
}

/// The spec of the pods, with the settings of the user.
pub(crate) fn spec(workload: &WorkloadSpec, parts: PodParts) -> Result<PodSpec, PodError> {
    let PodParts { containers, init_containers, volumes, host_network } = parts;
    let grace_period = workload.termination_grace_period_seconds.unwrap_or(GRACE_PERIOD);
    Ok(PodSpec {
        containers: merge::containers(containers, &workload.containers).map_err(PodError::Containers)?,
        init_containers: some(
            merge::containers(init_containers, &workload.init_containers)
                .map_err(PodError::InitContainers)?,
        ),
        volumes: some(volumes),
        node_selector: (!workload.node_selector.is_empty()).then(|| workload.node_selector.clone()),
        scheduler_name: given(&workload.scheduler_name),
        priority_class_name: given(&workload.priority_class_name),
        service_account_name: given(&workload.service_account_name),
        termination_grace_period_seconds: Some(grace_period),
        security_context: workload.security_context.clone(),
        tolerations: some(workload.tolerations.clone()),
        affinity: workload.affinity.clone(),
        host_aliases: host_aliases(&workload.host_aliases),
        host_network: host_network.then_some(true),
        host_users: workload.host_users,
        enable_service_links: workload.enable_service_links,
        dns_policy: dns_policy(workload.dns_policy.as_ref(), host_network),
        dns_config: dns_config(workload.dns_config.as_ref()),
        ..PodSpec::default()
    })
}

fn host_aliases(aliases: &[HostAlias]) -> Option<Vec<CoreAlias>> {
    let core =
        |alias: &HostAlias| CoreAlias { ip: alias.ip.clone(), hostnames: Some(alias.hostnames.clone()) };
    some(aliases.iter().map(core).collect())
}

/// The DNS policy. A pod in the network of its node needs another one to resolve the names of Services.
fn dns_policy(policy: Option<&DnsPolicy>, host_network: bool) -> Option<String> {
    match policy {
        Some(policy) => given(policy),
        None => host_network.then(|| "ClusterFirstWithHostNet".into()),
    }
}

/// The DNS servers and search domains.
fn dns_config(config: Option<&PodDnsConfig>) -> Option<PodDNSConfig> {
    let config = config?;
    let option = |option: &PodDnsConfigOption| PodDNSConfigOption {
        name: Some(option.name.clone()),
        value: option.value.clone(),
    };
    let options = config.options.iter().map(option).collect();
    Some(PodDNSConfig {
        nameservers: some(config.nameservers.clone()),
        searches: some(config.searches.clone()),
        options: some(options),
    })
}

/// The topology spread constraints. If the user enables it, their selectors also match the labels of the shard or of the
/// resource.
pub(crate) fn spread(
    constraints: &[TopologySpreadConstraint],
    selector: &Labels,
) -> Option<Vec<CoreConstraint>> {
    let core = |constraint: &TopologySpreadConstraint| {
        let mut core = constraint.constraint.clone();
        if let Some(added) = &constraint.additional_label_selectors {
            let of_resource = &**added == "OnResource";
            let pods = core.label_selector.get_or_insert_default().match_labels.get_or_insert_default();
            let added = selector.iter().filter(|(key, _)| !(of_resource && *key == labels::SHARD));
            pods.extend(added.map(|(key, value)| (key.clone(), value.clone())));
        }
        core
    };
    some(constraints.iter().map(core).collect())
}

/// The list; none, if it is empty.
pub(crate) fn some<T>(list: Vec<T>) -> Option<Vec<T>> {
    (!list.is_empty()).then_some(list)
}

#[cfg(test)]
mod tests {
    use api_monitoring::pod::AdditionalLabelSelectors;
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};

    use super::*;
    use crate::workload::labels::labels;

    #[test]
    fn the_dns_policy_of_the_user_wins() {
        assert_eq!(dns_policy(None, false), None);
        assert_eq!(dns_policy(None, true).as_deref(), Some("ClusterFirstWithHostNet"));
        assert_eq!(dns_policy(Some(&"None".into()), true).as_deref(), Some("None"));
        assert_eq!(dns_policy(Some(&"".into()), true), None);
    }

    #[test]
    fn expressions_are_kept_beside_added_labels() {
        let expression =
            LabelSelectorRequirement { key: "k".into(), operator: "Exists".into(), values: None };
        let constraint = |labels: Option<Labels>| CoreConstraint {
            label_selector: Some(LabelSelector {
                match_labels: labels,
                match_expressions: Some(vec![expression.clone()]),
            }),
            ..CoreConstraint::default()
        };
        let wanted = |added: &str| TopologySpreadConstraint {
            constraint: constraint(None),
            additional_label_selectors: Some(AdditionalLabelSelectors(added.into())),
        };
        let selector = labels([("a", "1"), (labels::SHARD, "2")]);
        assert_eq!(
            spread(&[wanted("OnResource"), wanted("OnShard")], &selector),
            Some(vec![constraint(Some(labels([("a", "1")]))), constraint(Some(selector.clone()))])
        );
    }
}
