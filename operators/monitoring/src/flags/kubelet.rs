//! Kubelets as targets: whether there is a Service for them, and what is in it.

use std::time::Duration;

use crate::kubelet::Priority;
use go_syntax::quoted::Quoted;

use crate::flags::flag::{Fields, Flag};
use crate::flags::selector::LabelSelector;
use crate::flags::value::{Refusal, Value};

/// Kubelets as targets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kubelet {
    /// The Service that stands for all kubelets; nothing is done without it.
    pub service: Option<ServiceName>,
    /// The nodes whose kubelets are meant.
    pub nodes: LabelSelector,
    /// Which addresses of a node are taken, if it has both.
    pub priority: Priority,
    /// Whether there are EndpointSlices.
    pub endpoint_slices: bool,
    /// Whether there are Endpoints.
    pub endpoints: bool,
    /// How long until nodes are looked at again.
    pub sync_period: Duration,
    /// Whether kubelets answer without TLS too.
    pub plain_http: bool,
}

/// Which Service.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServiceName {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

impl Default for Kubelet {
    fn default() -> Self {
        Self {
            service: None,
            nodes: LabelSelector::default(),
            priority: Priority::Internal,
            endpoint_slices: false,
            endpoints: true,
            sync_period: Duration::from_mins(3),
            plain_http: true,
        }
    }
}

impl Fields for Kubelet {
    const TITLE: &'static str = "Kubelets";
    const FLAGS: &'static [Flag<Self>] = &[
        Flag {
            name: "kubelet-service",
            help: "The Service that stands for all kubelets. Without it there is none.",
            field: |kubelet| &mut kubelet.service,
        },
        Flag {
            name: "kubelet-selector",
            help: "Labels of the nodes whose kubelets are meant.",
            field: |kubelet| &mut kubelet.nodes,
        },
        Flag {
            name: "kubelet-node-address-priority",
            help: "Which addresses of a node are taken, if it has both.",
            field: |kubelet| &mut kubelet.priority,
        },
        Flag {
            name: "kubelet-endpointslice",
            help: "Write EndpointSlices for kubelets.",
            field: |kubelet| &mut kubelet.endpoint_slices,
        },
        Flag {
            name: "kubelet-endpoints",
            help: "Write Endpoints for kubelets.",
            field: |kubelet| &mut kubelet.endpoints,
        },
        Flag {
            name: "kubelet-sync-period",
            help: "How long until nodes are looked at again.",
            field: |kubelet| &mut kubelet.sync_period,
        },
        Flag {
            name: "kubelet-http-metrics",
            help: "Kubelets answer without TLS too, on port 10255.",
            field: |kubelet| &mut kubelet.plain_http,
        },
    ];
}

impl Value for Option<ServiceName> {
    fn form(&self) -> &'static str {
        "NAMESPACE/NAME"
    }

    fn show(&self) -> String {
        self.as_ref().map(|ServiceName { namespace, name }| format!("{namespace}/{name}")).unwrap_or_default()
    }

    /// The peer takes an empty namespace or name too, and can then never write the Service.
    fn set(&mut self, text: &str) -> Result<(), Refusal> {
        *self = None;
        if text.is_empty() {
            return Ok(());
        }
        match text.split_once('/') {
            Some((namespace, name)) if !namespace.is_empty() && !name.is_empty() && !name.contains('/') => {
                *self = Some(ServiceName { namespace: namespace.to_owned(), name: name.to_owned() });
                Ok(())
            }
            _ => Err(Refusal::AtStart(format!(
                "malformatted kubelet object string {}, must be in format \"namespace/name\"",
                Quoted(text)
            ))),
        }
    }
}

impl Value for Priority {
    fn form(&self) -> &'static str {
        "internal|external"
    }

    fn show(&self) -> String {
        self.as_str().to_owned()
    }

    fn set(&mut self, text: &str) -> Result<(), Refusal> {
        let all = [Self::Internal, Self::External];
        *self = all.into_iter().find(|priority| priority.as_str() == text).ok_or_else(|| {
            Refusal::Now(format!(
                "invalid value for node address priority, expected 'internal' or 'external' but got: {}",
                Quoted(text)
            ))
        })?;
        Ok(())
    }
}
