//! Kubelets as scrape targets: the Service that the operator maintains for them.

use std::time::Duration;

use go_syntax::quoted::Quoted;
use kernel::object::Key;

use crate::flags::flag::{Flag, Group};
use crate::flags::selector::LabelSelector;
use crate::flags::value::{Choice, FlagValue, RejectedValue};
use crate::kubelet::AddressPriority;

/// Kubelets as scrape targets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KubeletFlags {
    /// The Service whose endpoints are the kubelets. Without it, nothing is written.
    pub service: Option<Key>,
    /// The labels of the nodes.
    pub nodes: LabelSelector,
    /// Which address of a node is used if it has several.
    pub priority: AddressPriority,
    /// Whether the operator writes EndpointSlices.
    pub endpoint_slices: bool,
    /// Whether the operator writes Endpoints.
    pub endpoints: bool,
    /// The interval between two lists of the nodes.
    pub sync_period: Duration,
    /// Whether there is a port without TLS.
    pub plain_http: bool,
}

impl Default for KubeletFlags {
    fn default() -> Self {
        Self {
            service: None,
            nodes: LabelSelector::default(),
            priority: AddressPriority::Internal,
            endpoint_slices: false,
            endpoints: true,
            sync_period: Duration::from_mins(3),
            plain_http: true,
        }
    }
}

impl KubeletFlags {
    pub(crate) fn group(&mut self) -> Group<'_> {
        let flags = vec![
            Flag::new("kubelet-service", &mut self.service)
                .help("Service whose endpoints are the kubelets. If it is empty, the operator writes none."),
            Flag::new("kubelet-selector", &mut self.nodes).help("Label selector of the nodes."),
            Flag::new("kubelet-node-address-priority", &mut self.priority)
                .help("Address type to use if a node has internal and external addresses."),
            Flag::new("kubelet-endpointslice", &mut self.endpoint_slices)
                .help("Write EndpointSlices for kubelets."),
            Flag::new("kubelet-endpoints", &mut self.endpoints).help("Write Endpoints for kubelets."),
            Flag::new("kubelet-sync-period", &mut self.sync_period)
                .help("Interval between two lists of the nodes."),
            Flag::new("kubelet-http-metrics", &mut self.plain_http).help("Add the port without TLS, 10255."),
        ];
        Group { title: "Kubelets", flags }
    }
}

/// The peer also accepts an empty namespace or name, and can then never write the Service.
impl FlagValue for Option<Key> {
    fn form(&self) -> String {
        "NAMESPACE/NAME".to_owned()
    }

    fn show(&self) -> String {
        self.as_ref().map(Key::to_string).unwrap_or_default()
    }

    fn set(&mut self, text: &str) -> Result<(), RejectedValue> {
        *self = text.parse().ok();
        if self.is_some() || text.is_empty() {
            return Ok(());
        }
        Err(RejectedValue::Start(format!(
            "malformatted kubelet object string {}, must be in format \"namespace/name\"",
            Quoted(text)
        )))
    }
}

impl Choice for AddressPriority {
    const WORDS: &'static [(&'static str, Self)] =
        &[("internal", Self::Internal), ("external", Self::External)];

    fn reject(text: &str) -> RejectedValue {
        RejectedValue::Parse(format!(
            "invalid value for node address priority, expected 'internal' or 'external' but got: {}",
            Quoted(text)
        ))
    }
}
