//! Webhooks behind a Service of the cluster, over TLS with certificates of the process's own making. They are served where
//! `--webhook-service` names a Service; that the API server asks is for users to say (`deploy/webhooks.yaml`), and whom it
//! trusts is then written there by the process.

use std::str::FromStr;

use anyhow::{Context, Result};
use kernel::web::{self, Protection, Server, listen};
use kernel::webhook::{CertificateStore, Limits, Notice, Presented, Rotation, Routes, Target, Wanted};
use kube::{Api, Client};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::products;

/// Where the process listens for them.
pub const PORT: u16 = 9443;

/// What both registrations of admission are called.
pub const REGISTRATION: &str = "mainstay";

/// Who has to trust the certificates. What is not there, or calls another webhook, is left alone.
pub fn targets() -> Vec<Target> {
    let converting = products::ALL.iter().filter_map(|product| product.webhooks);
    let converting = converting.flat_map(|webhooks| webhooks.converting);
    let admitting = [Target::Validating(REGISTRATION.into()), Target::Mutating(REGISTRATION.into())];
    admitting.into_iter().chain(converting.map(|(name, _)| Target::Conversion((*name).into()))).collect()
}

/// A Service, and the Secret of the same name that holds its certificates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceName {
    /// The namespace of both.
    pub namespace: String,
    /// The name of both.
    pub name: String,
}

impl ServiceName {
    /// What the API server calls it.
    pub fn names(&self) -> Vec<String> {
        vec![format!("{}.{}.svc", self.name, self.namespace)]
    }
}

/// A text that names no Service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("write it as NAMESPACE/NAME")]
pub struct NoServiceName;

impl FromStr for ServiceName {
    type Err = NoServiceName;

    fn from_str(text: &str) -> Result<Self, NoServiceName> {
        match text.split_once('/') {
            Some((namespace, name)) if !namespace.is_empty() && !name.is_empty() && !name.contains('/') => {
                Ok(Self { namespace: namespace.to_owned(), name: name.to_owned() })
            }
            _ => Err(NoServiceName),
        }
    }
}

/// Webhooks that are ready to be served.
#[derive(Debug)]
pub struct WebhookService {
    /// Where they are asked.
    pub listener: TcpListener,
    /// What they answer.
    pub routes: Routes,
    /// Where the certificates are kept.
    pub service: ServiceName,
    /// Whom the certificates are for.
    pub names: Vec<String>,
}

impl WebhookService {
    /// Listens.
    pub async fn open(service: ServiceName, routes: Routes) -> Result<Self> {
        let listener = listen(&format!(":{PORT}")).await.context("--webhook-service")?;
        let names = service.names();
        Ok(Self { listener, routes, service, names })
    }

    /// Answers until `stop`, and keeps the certificates in time.
    pub async fn serve(self, client: Client, stop: CancellationToken) {
        let ServiceName { namespace, name } = self.service;
        let (api, wanted) = (Api::namespaced(client.clone(), &namespace), Wanted::names(self.names));
        let presented = Presented::default();
        let rotation =
            Rotation::new(client, CertificateStore { api, name, wanted }, targets(), presented.clone());
        let protection = Protection::Presented(presented);
        let server = Server { listener: self.listener, protection, limits: web::Limits::default() };
        let router = self.routes.router(&Limits::default());
        let mut log = ChangeLog::default();
        let follow = rotation.follow(move |notice| log.record(notice), stop.clone());
        let (served, ()) = tokio::join!(server.serve(router, stop), follow);
        if let Err(error) = served {
            tracing::error!("webhooks are served no more: {error}");
        }
    }
}

/// What the log says of certificates. The same trouble comes at every look, and is told once.
#[derive(Default)]
struct ChangeLog {
    trouble: String,
}

impl ChangeLog {
    fn record(&mut self, notice: Notice) {
        match notice {
            Notice::Presented => tracing::info!("webhooks show a new certificate"),
            Notice::Injected(target) => tracing::info!(?target, "the API server trusts the webhooks"),
            // Registering them is optional.
            Notice::Absent(_) => {}
            Notice::Trouble(error) => {
                let words = format!("{:#}", anyhow::Error::from(error));
                if words != self.trouble {
                    tracing::warn!("the certificates of webhooks: {words}");
                    self.trouble = words;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_has_a_namespace_and_a_name() {
        let service: ServiceName = "home/hooks".parse().unwrap();
        assert_eq!(service.names(), ["hooks.home.svc"]);
        for text in ["", "hooks", "/hooks", "home/", "a/b/c"] {
            assert_eq!(text.parse::<ServiceName>(), Err(NoServiceName), "{text}");
        }
    }
}
