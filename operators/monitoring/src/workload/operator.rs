//! The settings of objects that follow from the flags of the operator.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::ResourceRequirements;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

use crate::workload::defaults;

/// The flags that matter to objects.
#[derive(Debug, Clone, PartialEq)]
pub struct OperatorConfig {
    /// Annotations of all objects.
    pub annotations: BTreeMap<String, String>,
    /// Labels of all objects, also of pods and in their selectors.
    pub labels: BTreeMap<String, String>,
    /// The host name of the loopback address.
    pub local_host: String,
    /// The default repository of Prometheus.
    pub prometheus_image: String,
    /// The default repository of Alertmanager.
    pub alertmanager_image: String,
    /// The default repository of Thanos.
    pub thanos_image: String,
    /// The domain of the cluster; empty, if names are resolved without it.
    pub cluster_domain: String,
    /// The container that reloads configurations.
    pub reloader: ReloaderConfig,
    /// Whether sharding by topology is enabled.
    pub topology_sharding: bool,
}

impl Default for OperatorConfig {
    fn default() -> Self {
        Self {
            annotations: BTreeMap::new(),
            labels: BTreeMap::new(),
            local_host: "localhost".into(),
            prometheus_image: defaults::PROMETHEUS_IMAGE.into(),
            alertmanager_image: defaults::ALERTMANAGER_IMAGE.into(),
            thanos_image: defaults::THANOS_IMAGE.into(),
            cluster_domain: String::new(),
            reloader: ReloaderConfig::default(),
            topology_sharding: true,
        }
    }
}

/// The flags of the container that reloads configurations. A quantity of zero counts as none.
#[derive(Debug, Clone, PartialEq)]
pub struct ReloaderConfig {
    /// Its image.
    pub image: String,
    /// The CPU request.
    pub cpu_request: Quantity,
    /// The CPU limit.
    pub cpu_limit: Quantity,
    /// The memory request.
    pub memory_request: Quantity,
    /// The memory limit.
    pub memory_limit: Quantity,
    /// Whether it has probes.
    pub probes: bool,
}

impl Default for ReloaderConfig {
    fn default() -> Self {
        let (cpu, memory) = (Quantity("10m".into()), Quantity("50Mi".into()));
        Self {
            image: String::new(),
            cpu_request: cpu.clone(),
            cpu_limit: cpu,
            memory_request: memory.clone(),
            memory_limit: memory,
            probes: false,
        }
    }
}

impl ReloaderConfig {
    /// The requests and limits of the container.
    pub(crate) fn resources(&self) -> ResourceRequirements {
        let amounts = |cpu: &Quantity, memory: &Quantity| {
            let amounts: BTreeMap<String, Quantity> = [("cpu", cpu), ("memory", memory)]
                .into_iter()
                .filter(|(_, amount)| !is_zero(amount))
                .map(|(resource, amount)| (resource.to_owned(), amount.clone()))
                .collect();
            (!amounts.is_empty()).then_some(amounts)
        };
        ResourceRequirements {
            requests: amounts(&self.cpu_request, &self.memory_request),
            limits: amounts(&self.cpu_limit, &self.memory_limit),
            ..ResourceRequirements::default()
        }
    }
}

/// Whether a quantity has no digits but zeros before its unit.
fn is_zero(amount: &Quantity) -> bool {
    let number = amount.0.trim_start_matches(['+', '-']);
    let digits = number.split(|letter: char| letter.is_ascii_alphabetic()).next().unwrap_or_default();
    digits.chars().all(|digit| matches!(digit, '0' | '.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_has_many_spellings() {
        for (text, zero) in [
            ("0", true),
            ("0m", true),
            ("0.0Mi", true),
            ("0e3", true),
            ("", true),
            ("10m", false),
            ("0.1", false),
        ] {
            assert_eq!(is_zero(&Quantity(text.into())), zero, "{text}");
        }
    }

    #[test]
    fn an_amount_of_zero_is_left_out() {
        let config = ReloaderConfig {
            cpu_limit: Quantity("0".into()),
            memory_request: Quantity("0".into()),
            memory_limit: Quantity("0".into()),
            ..ReloaderConfig::default()
        };
        let request = BTreeMap::from([("cpu".to_owned(), Quantity("10m".into()))]);
        let expected = ResourceRequirements { requests: Some(request), ..ResourceRequirements::default() };
        assert_eq!(config.resources(), expected);
    }
}
