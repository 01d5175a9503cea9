//! The product: what the program, the manifests and the documents need of these operators.
//!
//! | file | owns |
//! |---|---|
//! | this | the value, and its controllers with their settings |
//! | `scopes` | where they look for what |
//! | `served` | which kinds of workloads are served: those that may be listed |
//! | `definitions` | the definitions of all resources |
//! | `render` | what would be applied for resources in files |
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
use product::{Instance, MetricsPage, Product, Setup, Webhooks};
use tokio_util::sync::CancellationToken;

use crate::flags::Flags;
use crate::kind::Workload;
use crate::kubelet::operator::{self as kubelets, Kubelets};
use crate::loaded::pace;
use crate::settings::Settings;
use crate::webhook::{self, RuleSettings, registration};
use crate::{
    Monitored, OfAgent, OfAlertmanager, OfPrometheus, OfThanosRuler, Selecting, WorkloadOperator, metrics,
};

use self::served::Served;

/// The image of the reloader, unless a flag says otherwise.
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
    // Both features are off in the Prometheus Operator, where they are young.
    arguments: &[
        "--kubelet-service=kube-system/kubelet",
        "--kubelet-endpointslice=true",
        "--feature-gates=StatusForConfigurationResources=true,PrometheusAgentDaemonSet=true",
    ],
    roles: &[scrape_role::SCRAPE],
    webhooks: Some(Webhooks {
        routes: |catalogue| {
            webhook::routes(RuleSettings::default(), &webhook::metrics::Metrics::register(catalogue))
        },
        group: registration::GROUP,
        validating: &registration::VALIDATING,
        mutating: &registration::MUTATING,
        converting: &[("alertmanagerconfigs.monitoring.coreos.com", webhook::CONVERT)],
    }),
    metrics: &[
        MetricsPage {
            heading: "Monitoring",
            introduction: "With `--operators=monitoring`, under the names of the Prometheus Operator: its dashboards and \
                           alerts go on working.",
            table: metrics::reference,
        },
        MetricsPage {
            heading: "Kubelets",
            introduction: "With `--operators=monitoring` too, for the Service of `--kubelet-service`.",
            table: kubelets::metrics::reference,
        },
        MetricsPage {
            heading: "Webhooks",
            introduction: "Told by `mainstay` and by the stand-alone webhook.",
            table: webhook::metrics::reference,
        },
    ],
    render: render::render,
    start: |settings| {
        let flags = settings.get::<Flags>().cloned().unwrap_or_else(default_flags);
        Box::new(Monitoring::new(flags, settings.get().copied().unwrap_or_default()))
    },
};

/// What our own flags say.
#[derive(Debug, Clone, Copy, Default)]
pub struct OwnFlags {
    /// Whether another image of the reloader alone is rolled out at once.
    pub reloader_at_once: bool,
    /// The least time between two touches of a workload's pods.
    pub touch_interval: Option<Duration>,
}

/// The flags if none is given.
pub fn default_flags() -> Flags {
    let mut flags = Flags::default();
    flags.reloader.image = RELOADER.into();
    flags
}

/// What holds if no flag says otherwise.
pub fn default_settings() -> Settings {
    Settings::of(&default_flags())
}

/// The operators with their settings.
pub struct Monitoring {
    flags: Flags,
    /// How workloads are worked on.
    pub settings: Settings,
    served: Served,
    kubelets: Option<kubelets::Metrics>,
}

impl Monitoring {
    /// With what the flags say.
    pub fn new(flags: Flags, own: OwnFlags) -> Self {
        let mut settings = Settings::of(&flags);
        settings.reloader_at_once = own.reloader_at_once;
        if let Some(apart) = own.touch_interval {
            settings.pace = pace::Settings { apart, ..settings.pace };
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

impl Instance for Monitoring {
    fn register(&mut self, catalogue: &mut Catalogue, counts: &Metrics) -> Vec<Arc<dyn Observer>> {
        metrics::register_build(catalogue, env!("CARGO_PKG_VERSION"), "unknown");
        let gates = self.flags.gates.metric().map(|(name, is_open)| (name, is_open == 1));
        metrics::register_gates(catalogue, gates);
        let kubelet = &self.flags.kubelet;
        let counted =
            kubelets::Metrics::register(catalogue, counts, kubelet.endpoints, kubelet.endpoint_slices);
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

    fn outgrown<'a>(&'a self, client: &'a Client) -> BoxFuture<'a, ()> {
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

fn controller<W: Workload>(setup: &Setup, settings: &Arc<Settings>) -> Registration {
    let operator = WorkloadOperator::<W>::new(setup.client.clone(), Arc::clone(settings));
    setup.controller(operator, Some(interests(Selecting::<W>::default())))
}
