//! A process that runs operators: watches at once, works when everything is known and it leads, ends cleanly.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use kernel::apply::{Hand, Tools};
use kernel::clock;
use kernel::declare::Declaration;
use kernel::driver::Ending;
use kernel::events::Events;
use kernel::flow::{Bench, Operator};
use kernel::hub::{Controller, Hub, Registration, Standing};
use kernel::lease::Permit;
use kernel::metrics::Metrics;
use kernel::object::Key;
use kernel::queue::{self, Outcome};
use kernel::stores::{Namespaces, Stores};
use kube::Client;
use operator_example::ExampleOperator;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::args::OperatorName;

/// Our name among the owners of fields, in events and in labels.
pub const MANAGER: &str = "mainstay";

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
    /// Where it looks.
    pub namespaces: Namespaces,
    /// Whether it may write.
    pub permit: Permit,
    /// Its name in events.
    pub identity: String,
    /// How its queues behave.
    pub queue: queue::Settings,
    /// What it counts.
    pub metrics: Metrics,
    /// Where its watches stand.
    pub standings: watch::Sender<Vec<Standing>>,
}

impl Process {
    /// Runs until `stop`.
    pub async fn run(self, stop: CancellationToken) -> Vec<Ending> {
        let declarations: Vec<&Declaration> = self.operators.iter().map(|name| declaration(*name)).collect();
        let stores = Stores::new(&declarations, MANAGER, &self.namespaces);
        let permit = self.permit.clone();
        let tools = Tools {
            client: self.client.clone(),
            stores,
            manager: MANAGER,
            fence: Arc::new(move || permit.may_write()),
        };
        let registrations = self.operators.iter().map(|name| self.registration(*name)).collect();
        let hub = Hub {
            tools,
            namespaces: self.namespaces,
            queue: self.queue,
            grace: GRACE,
            metrics: self.metrics,
            standings: self.standings,
        };
        let permit = self.permit;
        let lead = async move {
            if !permit.granted().await {
                // It will never be ours: only `stop` ends the wait.
                std::future::pending::<()>().await;
            }
        };
        hub.run(registrations, lead, stop).await
    }

    fn registration(&self, name: OperatorName) -> Registration {
        let declaration = declaration(name);
        let events = Events::new(self.client.clone(), MANAGER, self.identity.clone(), declaration.primary);
        match name {
            OperatorName::Example => {
                let operator = self.example.clone();
                Registration { declaration, make: Box::new(move |hand| controller(operator, hand, events)) }
            }
        }
    }
}

/// The declaration of an operator.
pub fn declaration(name: OperatorName) -> &'static Declaration {
    match name {
        OperatorName::Example => &operator_example::DECLARATION,
    }
}

/// One kind at work.
struct Working<O>(Bench<O, Events>);

fn controller<O: Operator>(operator: O, hand: Hand, telling: Events) -> Arc<dyn Controller> {
    Arc::new(Working(Bench { operator, hand, telling }))
}

impl<O: Operator> Controller for Working<O> {
    fn pass(self: Arc<Self>, key: Key) -> BoxFuture<'static, Outcome> {
        async move { self.0.pass(&key, clock::timestamp).await }.boxed()
    }
}
