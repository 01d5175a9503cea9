//! What all objects have that are written, and for whom they are written.

use std::collections::BTreeMap;

use capability::rollout::RepairPolicy;

use crate::flags::flag::{Fields, Flag};
use crate::flags::value::{Refusal, Value};

/// What all objects have that are written, and for whom they are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Objects {
    /// Annotations of everything that is made.
    pub annotations: BTreeMap<String, String>,
    /// Labels of everything that is made.
    pub labels: BTreeMap<String, String>,
    /// The name under which containers of a pod reach each other.
    pub local_host: String,
    /// The domain of the cluster; empty, if names are to be resolved without it.
    pub cluster_domain: String,
    /// Only resources that name this operator are served; empty, only those that name none.
    pub controller_id: String,
    /// What is done about a pod that a stuck roll-out waits for, if the user says so.
    pub repair: Option<RepairPolicy>,
    /// A Prometheus that selects nothing has a configuration all the same, instead of one that its user writes.
    pub always_managed: bool,
}

impl Default for Objects {
    fn default() -> Self {
        Self {
            annotations: BTreeMap::new(),
            labels: BTreeMap::new(),
            local_host: "localhost".to_owned(),
            cluster_domain: String::new(),
            controller_id: String::new(),
            repair: None,
            always_managed: false,
        }
    }
}

impl Fields for Objects {
    const TITLE: &'static str = "Objects that are written";
    const FLAGS: &'static [Flag<Self>] = &[
        Flag {
            name: "annotations",
            help: "Annotations of everything that is made.",
            field: |objects| &mut objects.annotations,
        },
        Flag {
            name: "labels",
            help: "Labels of everything that is made.",
            field: |objects| &mut objects.labels,
        },
        Flag {
            name: "localhost",
            help: "The name under which containers of a pod reach each other.",
            field: |objects| &mut objects.local_host,
        },
        Flag {
            name: "cluster-domain",
            help: "The domain of the cluster. Without it names are resolved by search domains.",
            field: |objects| &mut objects.cluster_domain,
        },
        Flag {
            name: "controller-id",
            help: "Serve resources whose annotation operator.prometheus.io/controller-id says this, instead of those without.",
            field: |objects| &mut objects.controller_id,
        },
        Flag {
            name: "repair-policy-for-statefulsets",
            help: "What is done about a pod that a stuck roll-out waits for. Without it, one goes only if it fails for a \
                   reason that a restart cannot mend.",
            field: |objects| &mut objects.repair,
        },
        Flag {
            name: "disable-unmanaged-prometheus-configuration",
            help: "Write a configuration also for a Prometheus that selects nothing, instead of leaving it to its user.",
            field: |objects| &mut objects.always_managed,
        },
    ];
}

const POLICIES: [(&str, RepairPolicy); 3] =
    [("none", RepairPolicy::None), ("evict", RepairPolicy::Evict), ("delete", RepairPolicy::Delete)];

impl Value for Option<RepairPolicy> {
    fn form(&self) -> &'static str {
        "none|evict|delete"
    }

    fn show(&self) -> String {
        let name = POLICIES.iter().find(|(_, policy)| Some(*policy) == *self).map(|(name, _)| *name);
        name.unwrap_or_default().to_owned()
    }

    /// Nothing stands for nothing said, which the peer cannot say.
    fn set(&mut self, text: &str) -> Result<(), Refusal> {
        *self = None;
        if text.is_empty() {
            return Ok(());
        }
        let policy = POLICIES.iter().find(|(name, _)| *name == text).map(|(_, policy)| *policy);
        *self = Some(policy.ok_or_else(|| Refusal::Now(format!("invalid value: {text}")))?);
        Ok(())
    }
}
