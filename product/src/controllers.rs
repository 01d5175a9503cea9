//! Turns the stages of an operator into a controller of the hub.

use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use kernel::clock;
use kernel::events::Events;
use kernel::flow::Operator;
use kernel::hub::{Controller, Registration};
use kernel::index::Interests;
use kernel::object::Key;
use kernel::queue::Outcome;
use kernel::reconciler::Reconciler;
use kube::Client;

/// Everything that controllers are created with.
#[derive(Clone)]
pub struct Setup {
    /// The client of the API server.
    pub client: Client,
    /// Our field manager, which is also our name in events and in labels.
    pub manager: &'static str,
    /// The name of the process in events.
    pub identity: String,
}

impl Setup {
    /// A controller that reconciles the resources of one kind with the stages of an operator. `interests` say which resources
    /// an object affects, if the declaration does not.
    pub fn controller<O: Operator>(
        &self,
        operator: O,
        interests: Option<Arc<dyn Interests>>,
    ) -> Registration {
        let declaration = operator.declaration();
        let recorder =
            Events::new(self.client.clone(), self.manager, self.identity.clone(), declaration.primary);
        Registration {
            declaration,
            make: Box::new(move |writer, index| {
                Arc::new(OperatorController(Reconciler::new(operator, writer, recorder, index)))
            }),
            interests,
        }
    }
}

/// A controller of one kind.
struct OperatorController<O: Operator>(Reconciler<O, Events>);

impl<O: Operator> Controller for OperatorController<O> {
    fn pass(self: Arc<Self>, key: Key) -> BoxFuture<'static, Outcome> {
        async move { self.0.pass(&key, clock::timestamp).await }.boxed()
    }
}
