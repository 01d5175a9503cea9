//! A server for webhooks alone. Where others are served as well, [`Routes::router`] goes to their server.

use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::routes::{Limits, Routes};
use crate::web::{self, IdentityError, Presented, Protection};

/// A server, ready to run.
#[derive(Debug)]
pub struct Server {
    /// What it answers.
    pub routes: Routes,
    /// What it shows.
    pub presented: Presented,
    /// How much and how long.
    pub limits: Limits,
}

impl Server {
    /// Serves until `stop`; then what is under way may finish.
    pub async fn serve(self, listener: TcpListener, stop: CancellationToken) -> Result<(), IdentityError> {
        let router = self.routes.router(&self.limits);
        let (protection, limits) = (Protection::Presented(self.presented), self.limits.connection);
        web::Server { listener, protection, limits }.serve(router, stop).await
    }
}
