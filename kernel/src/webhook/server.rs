//! A server for webhooks alone. To serve other routes too, pass [`Routes::router`] to their server.

use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::routes::{Limits, Routes};
use crate::web::{self, IdentityError, Presented, Protection};

/// A server, ready to run.
#[derive(Debug)]
pub struct Server {
    /// Its routes.
    pub routes: Routes,
    /// Its certificate.
    pub presented: Presented,
    /// Its limits.
    pub limits: Limits,
}

impl Server {
    /// Serves until `stop`; then pending requests may finish.
    pub async fn serve(self, listener: TcpListener, stop: CancellationToken) -> Result<(), IdentityError> {
        let router = self.routes.router(&self.limits);
        let (protection, limits) = (Protection::Presented(self.presented), self.limits.connection);
        web::Server { listener, protection, limits }.serve(router, stop).await
    }
}
