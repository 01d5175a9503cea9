//! A namespace a test, deleted when the test ends, however it ends.

#![expect(clippy::disallowed_methods, reason = "tests play the users and controllers of a cluster")]

use std::fmt::Debug;

use anyhow::{Context, Result, bail};
use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::core::v1::{Namespace as Object, Pod};
use kube::api::{ObjectMeta, PostParams};
use kube::{Api, Resource, ResourceExt};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::describe;
use crate::lab::Lab;
use crate::pods;
use crate::wait::{self, Look};

/// What the namespace lets pods do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Security {
    /// The restricted Pod Security Standard.
    Restricted,
    /// Anything.
    Open,
}

/// The namespace of one test.
pub struct Namespace {
    name: String,
    lab: Lab,
}

impl Namespace {
    /// A restricted namespace with a name of its own that starts with `title`.
    pub async fn create(lab: &Lab, title: &str) -> Result<Self> {
        Self::with(lab, title, Security::Restricted).await
    }

    /// A namespace with a name of its own that starts with `title`.
    pub async fn with(lab: &Lab, title: &str, security: Security) -> Result<Self> {
        let labels = match security {
            Security::Restricted => pods::labels(&[("pod-security.kubernetes.io/enforce", "restricted")]),
            Security::Open => pods::labels(&[]),
        };
        let object = Object {
            metadata: ObjectMeta {
                generate_name: Some(format!("{title}-")),
                labels: Some(labels),
                ..ObjectMeta::default()
            },
            ..Object::default()
        };
        let api: Api<Object> = Api::all(lab.client());
        let created =
            api.create(&PostParams::default(), &object).await.context("cannot create a namespace")?;
        let namespace = Self { name: created.name_any(), lab: lab.clone() };
        // Every pod needs the account, and its controller may be busy.
        let accounts = namespace.api::<k8s_openapi::api::core::v1::ServiceAccount>();
        wait::object(&accounts, "default", "to be there", |_| true).await?;
        Ok(namespace)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The lab it is in.
    pub fn lab(&self) -> &Lab {
        &self.lab
    }

    /// The objects of one kind in it.
    pub fn api<K>(&self) -> Api<K>
    where
        K: Resource<DynamicType = (), Scope = NamespaceResourceScope>,
    {
        Api::namespaced(self.lab.client(), &self.name)
    }

    /// Its pods.
    pub fn pods(&self) -> Api<Pod> {
        self.api()
    }

    /// Creates an object in it.
    pub async fn add<K>(&self, object: &K) -> Result<K>
    where
        K: Resource<DynamicType = (), Scope = NamespaceResourceScope>
            + Clone
            + DeserializeOwned
            + Serialize
            + Debug,
    {
        let created = self.api::<K>().create(&PostParams::default(), object).await;
        created.with_context(|| format!("cannot create {} {}", K::kind(&()), object.name_any()))
    }

    /// Creates a pod and waits until it is ready.
    pub async fn add_ready(&self, pod: &Pod) -> Result<Pod> {
        let created = self.add(pod).await?;
        self.ready(&created.name_any()).await
    }

    /// Waits until a pod is ready.
    pub async fn ready(&self, pod: &str) -> Result<Pod> {
        wait::object(&self.pods(), pod, "to be ready", pods::is_ready).await
    }

    /// Waits like [`wait::until`], and says on failure what goes on in the namespace.
    pub async fn until<T>(&self, what: &str, look: impl AsyncFnMut() -> Result<Look<T>>) -> Result<T> {
        match wait::until(what, look).await {
            Ok(found) => Ok(found),
            Err(error) => bail!("{error:#}\n{}", describe::namespace(&self.lab.client(), &self.name).await),
        }
    }

    /// Runs a shell script in a pod, which must succeed, and gives back what it printed.
    pub async fn sh(&self, pod: &str, script: &str) -> Result<String> {
        let said = pods::exec(&self.pods(), pod, script).await?;
        if !said.success {
            bail!("`{script}` failed in pod {pod}: {}{}", said.stdout, said.stderr);
        }
        Ok(said.stdout.trim_end().to_owned())
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        // Through the command, because a destructor cannot wait for this test's own client. Not waiting for the end:
        // the next test has a namespace of its own.
        let _ =
            self.lab.kubectl(&["delete", "namespace", &self.name, "--wait=false", "--request-timeout=20s"]);
    }
}
