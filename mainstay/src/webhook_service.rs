//! Webhooks behind a Service of the cluster, over TLS with certificates that the process issues itself. They are served if
//! `--webhook-service` names a Service, and called once users apply `deploy/webhooks.yaml`. The process then writes its
//! certificate authority into them.

use anyhow::{Context, Result};
use kernel::object::Key;
use kernel::web::{self, Protection, WebServer, listen};
use kernel::webhook::{
    CertificateStore, InjectionTarget, Presented, Rotation, RotationNotice, Routes, Wanted, WebhookLimits,
};
use kube::{Api, Client};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::products;

/// The port that the process listens on.
pub const PORT: u16 = 9443;

/// The name of both webhook configurations.
pub const REGISTRATION: &str = "mainstay";

/// The objects that the certificate authority is written into. Those that do not exist, or that call another webhook, are
/// not changed.
pub fn targets() -> Vec<InjectionTarget> {
    let converting = products::ALL.iter().filter_map(|product| product.webhooks);
    let converting = converting.flat_map(|webhooks| webhooks.converting);
    let admitting =
        [InjectionTarget::Validating(REGISTRATION.into()), InjectionTarget::Mutating(REGISTRATION.into())];
    let converting = converting.map(|(name, _)| InjectionTarget::Conversion((*name).into()));
    admitting.into_iter().chain(converting).collect()
}

/// The name under which the API server reaches a Service.
pub fn host(service: &Key) -> String {
    format!("{}.{}.svc", service.name, service.namespace)
}

/// Webhooks that are ready to be served.
#[derive(Debug)]
pub struct WebhookService {
    /// The port.
    pub listener: TcpListener,
    /// The webhooks.
    pub routes: Routes,
    /// The Service, and the Secret with the same name that holds its certificates.
    pub service: Key,
    /// The host names in the certificates.
    pub names: Vec<String>,
}

impl WebhookService {
    /// Listens.
    pub async fn open(service: Key, routes: Routes) -> Result<Self> {
        let listener = listen(&format!(":{PORT}")).await.context("--webhook-service")?;
        let names = vec![host(&service)];
        Ok(Self { listener, routes, service, names })
    }

    /// Serves until `stop`, and renews the certificates.
    pub async fn serve(self, client: Client, stop: CancellationToken) {
        let (api, wanted) =
            (Api::namespaced(client.clone(), &self.service.namespace), Wanted::names(self.names));
        let (name, presented) = (self.service.name.to_string(), Presented::default());
        let rotation =
            Rotation::new(client, CertificateStore { api, name, wanted }, targets(), presented.clone());
        let protection = Protection::Presented(presented);
        let server = WebServer { listener: self.listener, protection, limits: web::ServerLimits::default() };
        let router = self.routes.router(&WebhookLimits::default());
        let mut last_error = String::new();
        let follow = rotation.follow(move |notice| record(notice, &mut last_error), stop.clone());
        let (served, ()) = tokio::join!(server.serve(router, stop), follow);
        if let Err(error) = served {
            tracing::error!("webhooks are no longer served: {error}");
        }
    }
}

/// Logs changes of the certificates. A repeated error is logged once.
fn record(notice: RotationNotice, last_error: &mut String) {
    match notice {
        RotationNotice::Presented => tracing::info!("webhooks use a new certificate"),
        RotationNotice::Injected(target) => tracing::info!(?target, "the API server trusts the webhooks"),
        // Webhooks are optional.
        RotationNotice::Absent(_) => {}
        RotationNotice::Trouble(error) => {
            let text = format!("{:#}", anyhow::Error::from(error));
            if text != *last_error {
                tracing::warn!("the certificates of webhooks: {text}");
                *last_error = text;
            }
        }
    }
}
