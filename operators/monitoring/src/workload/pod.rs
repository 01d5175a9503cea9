//! Parts of pods that users write in the words of the monitoring resources.

use api_monitoring::pod::{
    DnsPolicy, HostAlias, PodDnsConfig, StatefulSetUpdateStrategy, TopologySpreadConstraint,
};
use k8s_openapi::api::apps::v1::{
    RollingUpdateStatefulSetStrategy, StatefulSetUpdateStrategy as CoreUpdateStrategy,
};
use k8s_openapi::api::core::v1::{
    HostAlias as CoreAlias, PodDNSConfig, PodDNSConfigOption, TopologySpreadConstraint as CoreConstraint,
};

use crate::workload::defaults::given;
use crate::workload::labels::{self, Labels};

/// Entries of the hosts file.
pub fn host_aliases(aliases: &[HostAlias]) -> Option<Vec<CoreAlias>> {
    let core =
        |alias: &HostAlias| CoreAlias { ip: alias.ip.clone(), hostnames: Some(alias.hostnames.clone()) };
    some(aliases.iter().map(core).collect())
}

/// How names are resolved. A pod in the network of its node needs another way to find Services.
pub fn dns_policy(policy: Option<&DnsPolicy>, host_network: bool) -> Option<String> {
    match policy {
        Some(policy) => given(policy),
        None => host_network.then(|| "ClusterFirstWithHostNet".into()),
    }
}

/// Servers and search domains by which names are resolved.
pub fn dns_config(config: Option<&PodDnsConfig>) -> Option<PodDNSConfig> {
    let config = config?;
    let options = config
        .options
        .iter()
        .map(|option| PodDNSConfigOption { name: Some(option.name.clone()), value: option.value.clone() })
        .collect();
    Some(PodDNSConfig {
        nameservers: some(config.nameservers.clone()),
        searches: some(config.searches.clone()),
        options: some(options),
    })
}

/// How a StatefulSet replaces its pods; one after the other, if the user says nothing.
pub fn update_strategy(strategy: Option<&StatefulSetUpdateStrategy>) -> CoreUpdateStrategy {
    let Some(strategy) = strategy else {
        return CoreUpdateStrategy { type_: Some("RollingUpdate".into()), ..CoreUpdateStrategy::default() };
    };
    CoreUpdateStrategy {
        type_: Some(strategy.type_.to_string()),
        rolling_update: strategy.rolling_update.as_ref().map(|rolling| RollingUpdateStatefulSetStrategy {
            max_unavailable: rolling.max_unavailable.clone(),
            ..RollingUpdateStatefulSetStrategy::default()
        }),
    }
}

/// How pods are spread. Where the user wants it, the pods of the same shard or of the same resource are those that are
/// kept apart.
pub fn spread(constraints: &[TopologySpreadConstraint], selector: &Labels) -> Option<Vec<CoreConstraint>> {
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

/// Nothing, if there is none.
pub fn some<T>(list: Vec<T>) -> Option<Vec<T>> {
    (!list.is_empty()).then_some(list)
}

#[cfg(test)]
mod tests {
    use api_monitoring::pod::AdditionalLabelSelectors;
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, LabelSelectorRequirement};

    use super::*;
    use crate::workload::labels::labels;

    #[test]
    fn the_user_has_the_last_word_about_names() {
        assert_eq!(dns_policy(None, false), None);
        assert_eq!(dns_policy(None, true).as_deref(), Some("ClusterFirstWithHostNet"));
        assert_eq!(dns_policy(Some(&"None".into()), true).as_deref(), Some("None"));
        assert_eq!(dns_policy(Some(&"".into()), true), None);
    }

    #[test]
    fn expressions_stay_beside_added_labels() {
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
