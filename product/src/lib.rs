//! What an operator crate exports: one [`Product`]. `mainstay` lists them; the program, the generated manifests and
//! roles, the reference pages, `mainstay render` and the tests iterate over that list. A new operator is a crate and one
//! line in it.
//!
//! | file | owns |
//! |---|---|
//! | this | the properties of an operator before it runs, and how it is started |
//! | [`controllers`] | turns the stages of an operator into a controller of the hub |
//! | [`definition`] | the definitions of its resources |
//! | [`render`] | what it would apply for resources in files |

pub mod controllers;
pub mod definition;
pub mod render;

use std::fmt;
use std::sync::Arc;

use anyhow::Result;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use kernel::apply::Fence;
use kernel::declare::{Declaration, Kind, Permission};
use kernel::hub::Registration;
use kernel::metrics::{Catalogue, Metrics, Observer};
use kernel::stores::{Namespaces, Scopes};
use kernel::webhook::Routes;
use kube::Client;
use tokio_util::sync::CancellationToken;

pub use controllers::Setup;
pub use definition::Definition;
pub use render::{InputDocument, RenderOutput};

/// The settings from the command line, one value of each type: a product reads the types that it knows.
pub type ProductSettings = http::Extensions;

/// Everything that an operator exports.
#[derive(Clone, Copy)]
pub struct Product {
    /// Its name, as in `--operators`.
    pub name: &'static str,
    /// The kinds that it serves, for the help of `--operators`.
    pub serves: &'static str,
    /// The kinds that its controllers watch and own, and their permissions.
    pub declarations: &'static [&'static Declaration],
    /// The kinds and permissions of its tasks besides the controllers.
    pub tasks: &'static [&'static Declaration],
    /// The definitions of its resources.
    pub definitions: fn() -> Result<Vec<Definition>>,
    /// Kinds whose resources can read objects that their author may not be permitted to read: `mainstay-edit` excludes them.
    pub privileged: &'static [Kind],
    /// The flags of its Deployment in the generated manifests.
    pub arguments: &'static [&'static str],
    /// Roles for its operands.
    pub roles: &'static [OperandRole],
    /// Its webhooks, if it has any.
    pub webhooks: Option<Webhooks>,
    /// Its metrics, for the reference page.
    pub metrics: &'static [MetricsPage],
    /// Renders the objects that it would apply for resources in files.
    pub render: fn(Vec<InputDocument>) -> RenderOutput,
    /// Creates an instance with the settings. Its controllers are started later.
    pub start: fn(&ProductSettings) -> Box<dyn ProductInstance>,
}

impl fmt::Debug for Product {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name)
    }
}

impl PartialEq for Product {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Product {
    /// An empty product, for struct update syntax.
    pub const NOTHING: Self = Self {
        name: "",
        serves: "",
        declarations: &[],
        tasks: &[],
        definitions: || Ok(Vec::new()),
        privileged: &[],
        arguments: &[],
        roles: &[],
        webhooks: None,
        metrics: &[],
        render: |_| RenderOutput::default(),
        start: |_| Box::new(Nothing),
    };
}

/// A product without controllers.
struct Nothing;

impl ProductInstance for Nothing {
    fn controllers(&self, _setup: &Setup) -> Vec<Registration> {
        Vec::new()
    }
}

/// A `ClusterRole` for an operand: users bind it to the service account of the operand.
#[derive(Debug, Clone, Copy)]
pub struct OperandRole {
    /// Its name.
    pub name: &'static str,
    /// Its permissions.
    pub permissions: &'static [Permission],
    /// Non-resource URLs that can be read with it.
    pub paths: &'static [&'static str],
    /// What the paths are for: a comment in the role.
    pub why: &'static str,
}

/// The webhooks of an operator.
#[derive(Clone, Copy)]
pub struct Webhooks {
    /// Registers their metrics, and returns their handlers.
    pub routes: fn(&mut Catalogue) -> Routes,
    /// The API group of the resources.
    pub group: &'static str,
    /// The validating webhooks.
    pub validating: &'static [Registered],
    /// The mutating webhooks.
    pub mutating: &'static [Registered],
    /// The CRDs whose versions are converted, each with the path of its webhook.
    pub converting: &'static [(&'static str, &'static str)],
}

/// A webhook that is registered at the API server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Registered {
    /// The path of the webhook.
    pub path: &'static str,
    /// The plural of the resources.
    pub resource: &'static str,
    /// The versions of the resources: the API server converts others first.
    pub versions: &'static [&'static str],
}

/// A section of the reference page of metrics.
#[derive(Debug, Clone, Copy)]
pub struct MetricsPage {
    /// Its heading.
    pub heading: &'static str,
    /// When the metrics exist.
    pub introduction: &'static str,
    /// The table of the metrics.
    pub table: fn() -> String,
}

/// A product with its settings, running in a process.
pub trait ProductInstance: Send + Sync {
    /// Registers its metrics. The returned observers get the occurrences of the process.
    fn register(&mut self, _catalogue: &mut Catalogue, _metrics: &Metrics) -> Vec<Arc<dyn Observer>> {
        Vec::new()
    }

    /// Queries the API server for what the instance depends on. A failed query is logged, and a default is used.
    fn prepare<'a>(&'a mut self, _client: &'a Client) -> BoxFuture<'a, ()> {
        std::future::ready(()).boxed()
    }

    /// The namespaces that it watches, if they differ between its kinds. `namespaces` are those of the command line.
    fn scopes(&self, namespaces: &Namespaces) -> Scopes {
        namespaces.clone().into()
    }

    /// Its controllers.
    fn controllers(&self, setup: &Setup) -> Vec<Registration>;

    /// Ends when permissions were granted that let the process watch more kinds after a restart.
    fn needs_restart<'a>(&'a self, _client: &'a Client) -> BoxFuture<'a, ()> {
        std::future::pending().boxed()
    }

    /// A task that runs besides the controllers until `stop`. It writes only while the fence permits it.
    fn task(
        &self,
        _client: &Client,
        _fence: Fence,
        _stop: CancellationToken,
    ) -> Option<BoxFuture<'static, ()>> {
        None
    }
}
