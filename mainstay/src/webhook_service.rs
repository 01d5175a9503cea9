//! Webhooks behind a Service of the cluster, over TLS with certificates that the process issues itself. They are served if
//! `--webhook-service` names a Service, and called once users apply `deploy/webhooks.yaml`. The process then writes there
//! which certificate authority to trust.

use anyhow::{Context, Result};
use kernel::object::Key;
use kernel::web::{self, Protection, Server, listen};
use kernel::webhook::{CertificateStore, Limits, Notice, Presented, Rotation, Routes, Target, Wanted};
use kube::{Api, Client};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::products;

/// The port that the process listens on.
pub const PORT: u16 = 9443;

/// The name of both webhook configurations.
pub const REGISTRATION: &str = "mainstay";

/// The objects that hold the certificate authority. Those that do not exist, or that call another webhook, are left alone.
pub fn targets() -> Vec<Target> {
    let converting = products::ALL.iter().filter_map(|product| product.webhooks);
    let converting = converting.flat_map(|webhooks| webhooks.converting);
    let admitting = [Target::Validating(REGISTRATION.into()), Target::Mutating(REGISTRATION.into())];
    admitting.into_iter().chain(converting.map(|(name, _)| Target::Conversion((*name).into()))).collect()
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
        let server = Server { listener: self.listener, protection, limits: web::Limits::default() };
        let router = self.routes.router(&Limits::default());
        let mut last_error = String::new();
        let follow = rotation.follow(move |notice| record(notice, &mut last_error), stop.clone());
        let (served, ()) = tokio::join!(server.serve(router, stop), follow);
        if let Err(error) = served {
            tracing::error!("webhooks are no longer served: {error}");
        }
    }
}

/// Logs what happened to the certificates. An error that repeats itself is logged once.
fn record(notice: Notice, last_error: &mut String) {
    match notice {
        Notice::Presented => tracing::info!("webhooks use a new certificate"),
        Notice::Injected(target) => tracing::info!(?target, "the API server trusts the webhooks"),
        // Webhooks are optional.
        Notice::Absent(_) => {}
        Notice::Trouble(error) => {
            let text = format!("{:#}", anyhow::Error::from(error));
            if text != *last_error {
                tracing::warn!("the certificates of webhooks: {text}");
                *last_error = text;
            }
        }
    }
}
