//! The check of each kind of resource with scrape jobs, behind one trait.

use monitoring_assets::Objects;

use crate::references::{Accepted, Rejected};
use crate::server::Server;

/// A kind of resource that a Prometheus can select.
pub trait Selectable {
    /// Checks a resource.
    fn check<'o>(&self, server: &Server<'_>, objects: &'o Objects) -> Result<Accepted<'o>, Rejected>;
}
