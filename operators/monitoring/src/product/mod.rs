//! What the program, the manifests and the documents need to know about these operators.
//!
//! | file | owns |
//! |---|---|
//! | this | the product, and its controllers with their settings |
//! | `scopes` | what they watch, and where |
//! | `served` | which kinds of workloads they reconcile |
//! | `definitions` | the CRDs |
//! | `render` | what they would apply for resources in files |
//! | [`scrape_role`] | the role for every Prometheus |

mod definitions;
mod render;
mod scopes;
pub mod scrape_role;
mod served;

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use kernel::apply::Fence;
use kernel::hub::Registration;
use kernel::index::interests;
use kernel::metrics::{Catalogue, Metrics, Observer};
use kernel::stores::{Namespaces, Scopes};
use kube::Client;
use product::{MetricsPage, Product, ProductInstance, Setup, Webhooks};
use tokio_util::sync::CancellationToken;

use crate::flags::{Gate, OperatorFlags};
use crate::kind::Workload;
use crate::kubelet::operator::{self as kubelets, Kubelets};
use crate::loaded::pace::PaceSettings;
use crate::settings::MonitoringSettings;
use crate::webhook::{self, RuleSettings, registration};
use crate::{
    Monitored, OfAgent, OfAlertmanager, OfPrometheus, OfThanosRuler, Selecting, WorkloadOperator, metrics,
};

use self::served::Served;

/// The default image of the configuration reloader.
pub const RELOADER: &str = concat!("mainstay.dev/mainstay-reloader:", env!("CARGO_PKG_VERSION"));

/// The operators of monitoring.
pub const PRODUCT: Product = Product {
    name: "monitoring",
    serves: "`Prometheus`, `PrometheusAgent`, `Alertmanager`, `ThanosRuler`, and what they select",
    declarations: &[
        OfPrometheus::DECLARATION,
        OfAgent::DECLARATION,
        OfAlertmanager::DECLARATION,
        OfThanosRuler::DECLARATION,
    ],
    tasks: &[&kubelets::DECLARATION],
    definitions: || Ok(definitions::all()),
    privileged: &scopes::WORKLOADS,
    // The Prometheus Operator disables both features by default, because they are new there.
    arguments: &[
        "--kubelet-service=kube-system/kubelet",
        "--kubelet-endpointslice=true",
        "--feature-gates=StatusForConfigurationResources=true,PrometheusAgentDaemonSet=true",
    ],
    roles: &[scrape_role::SCRAPE],
    webhooks: Some(Webhooks {
        routes: |catalogue| {
            webhook::routes(RuleSettings::default(), &webhook::metrics::WebhookMetrics::register(catalogue))
        },
        group: registration::GROUP,
        validating: &registration::VALIDATING,
        mutating: &registration::MUTATING,
        converting: &[("alertmanagerconfigs.monitoring.coreos.com", webhook::CONVERT)],
    }),
    metrics: &[
        MetricsPage {
            heading: "Monitoring",
            introduction: "With `--operators=monitoring`, under the names of the Prometheus Operator, so that its \
                           dashboards and alerts keep working.",
            table: metrics::reference,
        },
        MetricsPage {
            heading: "Kubelets",
            introduction: "With `--operators=monitoring`, for the Service in `--kubelet-service`.",
            table: kubelets::metrics::reference,
        },
        MetricsPage {
            heading: "Webhooks",
            introduction: "In `mainstay` and in the stand-alone webhook.",
            table: webhook::metrics::reference,
        },
    ],
    render: render::render,
    start: |settings| {
        let flags = settings.get::<OperatorFlags>().cloned().unwrap_or_else(default_flags);
        Box::new(Monitoring::new(flags, settings.get().copied().unwrap_or_default()))
    },
};

/// The flags that only this program has.
#[derive(Debug, Clone, Copy, Default)]
pub struct OwnFlags {
    /// Whether a new image of the configuration reloader is rolled out immediately.
    pub reloader_at_once: bool,
    /// The minimum time between two touches of a workload's pods.
    pub touch_interval: Option<Duration>,
}

/// The default flags.
pub fn default_flags() -> OperatorFlags {
    let mut flags = OperatorFlags::default();
    flags.operator.reloader.image = RELOADER.into();
    flags
}

/// The default settings.
pub fn default_settings() -> MonitoringSettings {
    MonitoringSettings::of(&default_flags())
}

/// The operators with their settings.
pub struct Monitoring {
    flags: OperatorFlags,
    /// How workloads are reconciled.
    pub settings: MonitoringSettings,
    served: Served,
    kubelets: Option<kubelets::KubeletMetrics>,
}

impl Monitoring {
    /// The operators with these flags.
    pub fn new(flags: OperatorFlags, own: OwnFlags) -> Self {
        let mut settings = MonitoringSettings::of(&flags);
        settings.reloader_at_once = own.reloader_at_once;
        if let Some(apart) = own.touch_interval {
            settings.pace = PaceSettings { apart, ..settings.pace };
        }
        let served = Served::all(&flags.scope);
        Self { flags, settings, served, kubelets: None }
    }
}

impl Default for Monitoring {
    fn default() -> Self {
        Self::new(default_flags(), OwnFlags::default())
    }
}

impl ProductInstance for Monitoring {
    fn register(&mut self, catalogue: &mut Catalogue, counts: &Metrics) -> Vec<Arc<dyn Observer>> {
        metrics::register_build(catalogue, env!("CARGO_PKG_VERSION"), "unknown");
        let gates = Gate::ALL.map(|gate| (gate.name(), self.flags.gates.enabled(gate)));
        metrics::register_gates(catalogue, gates);
        let kubelet = &self.flags.kubelet;
        let counted =
            kubelets::KubeletMetrics::register(catalogue, counts, kubelet.endpoints, kubelet.endpoint_slices);
        self.kubelets = Some(counted);
        vec![Arc::new(Monitored::register(catalogue))]
    }

    fn prepare<'a>(&'a mut self, client: &'a Client) -> BoxFuture<'a, ()> {
        async move {
            self.served = Served::find(client, &self.flags.scope).await;
            self.settings = self.settings.clone().on_cluster(client).await;
        }
        .boxed()
    }

    fn scopes(&self, _: &Namespaces) -> Scopes {
        self.served.scopes.clone()
    }

    fn controllers(&self, setup: &Setup) -> Vec<Registration> {
        let settings = Arc::new(self.settings.clone());
        vec![
            controller::<OfPrometheus>(setup, &settings),
            controller::<OfAgent>(setup, &settings),
            controller::<OfAlertmanager>(setup, &settings),
            controller::<OfThanosRuler>(setup, &settings),
        ]
    }

    fn needs_restart<'a>(&'a self, client: &'a Client) -> BoxFuture<'a, ()> {
        self.served.outgrown(client).boxed()
    }

    fn task(&self, client: &Client, fence: Fence, stop: CancellationToken) -> Option<BoxFuture<'static, ()>> {
        let kubelet = &self.flags.kubelet;
        let kubelets = Kubelets {
            client: client.clone(),
            settings: self.flags.kubelet_settings()?,
            endpoints: kubelet.endpoints,
            nodes: kubelet.nodes.as_str().to_owned(),
            period: kubelet.sync_period,
            metrics: self.kubelets.clone()?,
        };
        Some(kubelets.run(fence, stop).boxed())
    }
}

fn controller<W: Workload>(setup: &Setup, settings: &Arc<MonitoringSettings>) -> Registration {
    let operator = WorkloadOperator::<W>::new(setup.client.clone(), Arc::clone(settings));
    setup.controller(operator, Some(interests(Selecting::<W>::default())))
}
