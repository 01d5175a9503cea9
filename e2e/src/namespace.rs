//! A namespace for each test. It is deleted when the test ends, also when it fails.

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

/// What pods may do in the namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Security {
    /// The restricted Pod Security Standard.
    Restricted,
    /// No restrictions.
    Open,
}

/// The namespace of one test.
pub struct Namespace {
    name: String,
    lab: Lab,
}

impl Namespace {
    /// Creates a restricted namespace with a generated name that starts with `title`.
    pub async fn create(lab: &Lab, title: &str) -> Result<Self> {
        Self::with(lab, title, Security::Restricted).await
    }

    /// Creates a namespace with a generated name that starts with `title`.
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
        // Every pod needs the ServiceAccount, and its controller may be busy.
        let accounts = namespace.api::<k8s_openapi::api::core::v1::ServiceAccount>();
        wait::object(&accounts, "default", "to be created", |_| true).await?;
        Ok(namespace)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its lab.
    pub fn lab(&self) -> &Lab {
        &self.lab
    }

    /// The API of a kind in it.
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

    /// Waits like [`wait::until`]. An error describes the pods and events of the namespace.
    pub async fn until<T>(&self, what: &str, look: impl AsyncFnMut() -> Result<Look<T>>) -> Result<T> {
        match wait::until(what, look).await {
            Ok(found) => Ok(found),
            Err(error) => bail!("{error:#}\n{}", describe::namespace(&self.lab.client(), &self.name).await),
        }
    }

    /// Runs a shell script in a pod. It must succeed. Returns its standard output.
    pub async fn sh(&self, pod: &str, script: &str) -> Result<String> {
        let output = pods::exec(&self.pods(), pod, script).await?;
        if !output.success {
            bail!("`{script}` failed in pod {pod}: {}{}", output.stdout, output.stderr);
        }
        Ok(output.stdout.trim_end().to_owned())
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        // With kubectl, because a destructor cannot wait for an asynchronous client. It does not wait until the namespace is
        // deleted, because the next test has another one.
        let _ =
            self.lab.kubectl(&["delete", "namespace", &self.name, "--wait=false", "--request-timeout=20s"]);
    }
}
