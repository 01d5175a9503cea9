//! A process that runs operators: watches at once, works when everything is known and it leads, ends cleanly.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use kernel::apply::{Tools, Writer};
use kernel::clock;
use kernel::declare::Declaration;
use kernel::driver::Ending;
use kernel::events::Events;
use kernel::flow::Operator;
use kernel::hub::{Controller, Hub, Once, Registration, WatchState};
use kernel::index::{Index, interests};
use kernel::lease::Leadership;
use kernel::metrics::Metrics;
use kernel::object::Key;
use kernel::queue::{self, Outcome};
use kernel::reconciler::Reconciler;
use kernel::stores::{Scopes, Stores};
use kube::Client;
use operator_example::ExampleOperator;
use operator_monitoring::flags::Flags;
use operator_monitoring::kind::Workload;
use operator_monitoring::{
    OfAgent, OfAlertmanager, OfPrometheus, OfThanosRuler, Selecting, WorkloadOperator,
};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::args::OperatorName;

/// Our name among the owners of fields, in events and in labels.
pub const MANAGER: &str = "mainstay";

/// The image of the reloader, unless a flag says otherwise.
pub const RELOADER: &str = concat!("mainstay.dev/mainstay-reloader:", env!("CARGO_PKG_VERSION"));

/// How long passes may take to finish once the process was asked to stop.
const GRACE: Duration = Duration::from_secs(20);

/// What a process is made of.
pub struct Process {
    /// The way to the server.
    pub client: Client,
    /// What runs in it.
    pub operators: Vec<OperatorName>,
    /// The operator of `ExampleApp`, as it is to run: tests give it another way to instances and another pace.
    pub example: ExampleOperator,
    /// What the flags say about monitoring.
    pub monitoring: operator_monitoring::Settings,
    /// Where it looks.
    pub scopes: Scopes,
    /// Whether it may write.
    pub leadership: Leadership,
    /// Its name in events.
    pub identity: String,
    /// How its queues behave.
    pub queue: queue::Settings,
    /// What it counts.
    pub metrics: Metrics,
    /// Where its watches stand.
    pub watch_states: watch::Sender<Vec<WatchState>>,
}

impl Process {
    /// Runs until `stop`.
    pub async fn run(self, stop: CancellationToken) -> Vec<Ending> {
        let leadership = self.leadership.clone();
        let lead = async move {
            if !leadership.granted().await {
                // It will never be ours: only `stop` ends the wait.
                std::future::pending::<()>().await;
            }
        };
        let (hub, registrations) = self.assemble();
        hub.run(registrations, lead, stop).await
    }

    /// One pass of everything that is there: for a client whose writes are not kept.
    pub async fn once(self) -> Once {
        let (hub, registrations) = self.assemble();
        hub.once(registrations).await
    }

    fn assemble(self) -> (Hub, Vec<Registration>) {
        let declarations: Vec<&Declaration> =
            self.operators.iter().flat_map(|name| declarations(*name)).collect();
        let stores = Stores::new(&declarations, MANAGER, &self.scopes);
        let registrations = self.operators.iter().flat_map(|name| self.registrations(*name)).collect();
        let leadership = self.leadership;
        let fence = Arc::new(move || leadership.may_write());
        let hub = Hub {
            tools: Tools { client: self.client, stores, manager: MANAGER, fence },
            scopes: self.scopes,
            queue: self.queue,
            grace: GRACE,
            metrics: self.metrics,
            watch_states: self.watch_states,
        };
        (hub, registrations)
    }

    fn registrations(&self, name: OperatorName) -> Vec<Registration> {
        match name {
            OperatorName::Example => {
                let (operator, events) = (self.example.clone(), self.events(&operator_example::DECLARATION));
                vec![Registration {
                    declaration: &operator_example::DECLARATION,
                    make: Box::new(move |writer, index| controller(operator, writer, (events, index))),
                    interests: None,
                }]
            }
            OperatorName::Monitoring => {
                let settings = Arc::new(self.monitoring.clone());
                vec![
                    self.workload::<OfPrometheus>(&settings),
                    self.workload::<OfAgent>(&settings),
                    self.workload::<OfAlertmanager>(&settings),
                    self.workload::<OfThanosRuler>(&settings),
                ]
            }
        }
    }

    fn workload<W: Workload>(&self, settings: &Arc<operator_monitoring::Settings>) -> Registration {
        let operator = WorkloadOperator::<W>::new(self.client.clone(), Arc::clone(settings));
        let events = self.events(W::DECLARATION);
        Registration {
            declaration: W::DECLARATION,
            make: Box::new(move |writer, index| controller(operator, writer, (events, index))),
            interests: Some(interests(Selecting::<W>::default())),
        }
    }

    fn events(&self, declaration: &Declaration) -> Events {
        Events::new(self.client.clone(), MANAGER, self.identity.clone(), declaration.primary)
    }
}

/// The declarations of an operator.
pub fn declarations(name: OperatorName) -> Vec<&'static Declaration> {
    match name {
        OperatorName::Example => vec![&operator_example::DECLARATION],
        OperatorName::Monitoring => vec![
            OfPrometheus::DECLARATION,
            OfAgent::DECLARATION,
            OfAlertmanager::DECLARATION,
            OfThanosRuler::DECLARATION,
        ],
    }
}

/// What holds for monitoring if no flag says otherwise.
pub fn monitoring() -> operator_monitoring::Settings {
    let mut flags = Flags::default();
    flags.reloader.image = RELOADER.into();
    crate::monitoring::settings(&flags)
}

/// One kind at work.
struct Working<O: Operator>(Reconciler<O, Events>);

fn controller<O: Operator>(
    operator: O,
    writer: Writer,
    (recorder, index): (Events, Arc<Index>),
) -> Arc<dyn Controller> {
    Arc::new(Working(Reconciler::new(operator, writer, recorder, index)))
}

impl<O: Operator> Controller for Working<O> {
    fn pass(self: Arc<Self>, key: Key) -> BoxFuture<'static, Outcome> {
        async move { self.0.pass(&key, clock::timestamp).await }.boxed()
    }
}
