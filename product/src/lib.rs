//! What an operator crate exports: one [`Product`]. `mainstay` lists them; the program, the generated manifests and
//! roles, the reference pages, `mainstay render` and the tests iterate over that list. A new operator is a crate and one
//! line in it.
//!
//! | file | owns |
//! |---|---|
//! | this | what is known of an operator before it runs, and how it is started |
//! | [`controllers`] | from an operator's stages to a controller of the hub |
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
pub use render::{Document, Rendered};

/// What the command line says, one value a type: a product takes the types that it knows.
pub type Settings = http::Extensions;

/// An operator, as everything outside of it sees it.
#[derive(Clone, Copy)]
pub struct Product {
    /// Its name, as in `--operators`.
    pub name: &'static str,
    /// What it serves, for the help of `--operators`.
    pub serves: &'static str,
    /// What its controllers watch, own and may do.
    pub declarations: &'static [&'static Declaration],
    /// What its tasks beside the controllers read and may do.
    pub tasks: &'static [&'static Declaration],
    /// The definitions of its resources.
    pub definitions: fn() -> Result<Vec<Definition>>,
    /// Kinds whose resources read what their author may not be allowed to read: `mainstay-edit` leaves them out.
    pub privileged: &'static [Kind],
    /// The flags of its Deployment in the generated manifests.
    pub arguments: &'static [&'static str],
    /// Roles for what it runs.
    pub roles: &'static [Role],
    /// What the API server asks it, if anything.
    pub webhooks: Option<Webhooks>,
    /// What it counts, for the reference page.
    pub metrics: &'static [MetricsPage],
    /// What it would apply for resources in files.
    pub render: fn(Vec<Document>) -> Rendered,
    /// Reads its settings. It runs when its controllers do.
    pub start: fn(&Settings) -> Box<dyn Instance>,
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
    /// Nothing: a product names what it has.
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
        render: |_| Rendered::default(),
        start: |_| Box::new(Nothing),
    };
}

/// A product without controllers.
struct Nothing;

impl Instance for Nothing {
    fn controllers(&self, _setup: &Setup) -> Vec<Registration> {
        Vec::new()
    }
}

/// A role of the cluster for what an operator runs: users bind it to the account of theirs.
#[derive(Debug, Clone, Copy)]
pub struct Role {
    /// Its name.
    pub name: &'static str,
    /// What it permits.
    pub permissions: &'static [Permission],
    /// Paths of the API server that can be read with it.
    pub paths: &'static [&'static str],
    /// What the paths are for: a comment in the role.
    pub why: &'static str,
}

/// The webhooks of an operator.
#[derive(Clone, Copy)]
pub struct Webhooks {
    /// Registers what they count; what they answer.
    pub routes: fn(&mut Catalogue) -> Routes,
    /// The API group of the resources.
    pub group: &'static str,
    /// Those that refuse.
    pub validating: &'static [Registered],
    /// Those that change what they are asked about.
    pub mutating: &'static [Registered],
    /// The definitions whose versions are converted, each with the path that is asked.
    pub converting: &'static [(&'static str, &'static str)],
}

/// A webhook as the API server has to know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Registered {
    /// Where it asks.
    pub path: &'static str,
    /// About which resources.
    pub resource: &'static str,
    /// In which versions: another one is converted before it is asked about.
    pub versions: &'static [&'static str],
}

/// A section of the reference page of metrics.
#[derive(Debug, Clone, Copy)]
pub struct MetricsPage {
    /// Its heading.
    pub heading: &'static str,
    /// When the metrics are there.
    pub introduction: &'static str,
    /// The table of the families.
    pub table: fn() -> String,
}

/// A product with its settings, in a process.
pub trait Instance: Send + Sync {
    /// Registers what it counts. What it returns hears what happens in the process.
    fn register(&mut self, _catalogue: &mut Catalogue, _metrics: &Metrics) -> Vec<Arc<dyn Observer>> {
        Vec::new()
    }

    /// Asks the API server what only it knows. What cannot be asked is logged, and a default holds.
    fn prepare<'a>(&'a mut self, _client: &'a Client) -> BoxFuture<'a, ()> {
        std::future::ready(()).boxed()
    }

    /// Where it looks, if that is not the same for all its kinds. The namespaces are those of the command line.
    fn scopes(&self, namespaces: &Namespaces) -> Scopes {
        namespaces.clone().into()
    }

    /// Its controllers.
    fn controllers(&self, setup: &Setup) -> Vec<Registration>;

    /// Ends when permissions were granted with which the process would look at more after a restart.
    fn outgrown<'a>(&'a self, _client: &'a Client) -> BoxFuture<'a, ()> {
        std::future::pending().boxed()
    }

    /// What runs beside the controllers until `stop`. It writes only while the fence lets it.
    fn task(
        &self,
        _client: &Client,
        _fence: Fence,
        _stop: CancellationToken,
    ) -> Option<BoxFuture<'static, ()>> {
        None
    }
}
