//! From an operator's stages to a controller of the hub.

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

/// What controllers are made with.
#[derive(Clone)]
pub struct Setup {
    /// The way to the API server.
    pub client: Client,
    /// Our name among the owners of fields, in events and in labels.
    pub manager: &'static str,
    /// The name of the process in events.
    pub identity: String,
}

impl Setup {
    /// A controller that takes the resources of one kind through the stages of an operator. Interests say which resources
    /// an object concerns, where the declaration cannot.
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
                Arc::new(Reconciling(Reconciler::new(operator, writer, recorder, index)))
            }),
            interests,
        }
    }
}

/// A controller of one kind.
struct Reconciling<O: Operator>(Reconciler<O, Events>);

impl<O: Operator> Controller for Reconciling<O> {
    fn pass(self: Arc<Self>, key: Key) -> BoxFuture<'static, Outcome> {
        async move { self.0.pass(&key, clock::timestamp).await }.boxed()
    }
}
