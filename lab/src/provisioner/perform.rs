//! Performs decisions: creates, expands and removes volumes, and writes objects and events. Called by the two
//! controllers. Every action can be interrupted at any point and repeated.

#![expect(clippy::disallowed_methods, reason = "the lab sets up the cluster itself")]

use std::fmt;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use k8s_openapi::api::core::v1::{ObjectReference, PersistentVolume, PersistentVolumeClaim};
use k8s_openapi::api::storage::v1::StorageClass;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams, Preconditions};
use kube::runtime::controller;
use kube::runtime::events::{Event, EventType, Recorder};
use kube::runtime::reflector::{ObjectRef, Store};
use kube::{Api, Client, Resource, ResourceExt};

use super::attempts::Attempts;
use super::decide::{Action, Provision, Release, Waiting, decide, decide_release, volume_name};
use super::object;
use crate::volume::Volumes;
use crate::{console, quantity};

const REPORTER: &str = "lab-provisioner";
/// The API server rejects events with longer notes.
const LONGEST_NOTE: usize = 1024;

/// Everything a pass needs.
pub(super) struct Context {
    pub(super) client: Client,
    pub(super) volumes: Volumes,
    pub(super) classes: Store<StorageClass>,
    pub(super) persistent_volumes: Store<PersistentVolume>,
    pub(super) attempts: Attempts,
}

/// A failed pass, which is retried.
#[derive(Debug)]
pub(super) struct Failure(anyhow::Error);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#}", self.0)
    }
}

impl std::error::Error for Failure {}

/// One pass over a claim.
pub(super) async fn reconcile_claim(
    claim: Arc<PersistentVolumeClaim>,
    context: Arc<Context>,
) -> Result<controller::Action, Failure> {
    let uid = claim.uid().unwrap_or_default();
    let (failed, done) = match context.decide(&claim) {
        Action::Nothing => {
            context.attempts.forget(&uid);
            return Ok(controller::Action::await_change());
        }
        Action::Wait(waiting) => {
            if waiting == Waiting::ConsumerOfImmediateClass {
                let note = "The class binds immediately, but a volume of the lab is created for a known node: \
                            use a class with volumeBindingMode WaitForFirstConsumer and a pod that mounts the claim.";
                context.publish(&*claim, EventType::Warning, "ProvisioningFailed", note).await;
            }
            return Ok(controller::Action::await_change());
        }
        Action::Refuse(message) => {
            context.publish(&*claim, EventType::Warning, "ProvisioningFailed", message).await;
            return Ok(controller::Action::await_change());
        }
        Action::Provision(provision) => ("ProvisioningFailed", context.provision(&claim, provision).await),
        Action::Grow { name, bytes } => ("VolumeResizeFailed", context.grow(&claim, name, bytes).await),
    };
    match done {
        Ok((reason, note)) => {
            context.publish(&*claim, EventType::Normal, reason, &note).await;
            context.attempts.succeeded(&uid);
            Ok(controller::Action::await_change())
        }
        Err(error) => {
            context.publish(&*claim, EventType::Warning, failed, &format!("{error:#}")).await;
            Err(Failure(error))
        }
    }
}

/// One pass over a volume.
pub(super) async fn reconcile_volume(
    volume: Arc<PersistentVolume>,
    context: Arc<Context>,
) -> Result<controller::Action, Failure> {
    if decide_release(&volume) == Release::Remove {
        if let Err(error) = context.remove(&volume).await {
            context.publish(&*volume, EventType::Warning, "VolumeFailedDelete", &format!("{error:#}")).await;
            return Err(Failure(error));
        }
        // Our own deletion causes further events until it is complete.
        if volume.metadata.deletion_timestamp.is_none() {
            console::line(format!("{}: removed", volume.name_any()));
        }
    }
    context.attempts.forget(&volume.uid().unwrap_or_default());
    Ok(controller::Action::await_change())
}

/// When to try again after a failure.
#[expect(clippy::needless_pass_by_value, reason = "the controller requires this signature")]
pub(super) fn try_again<K: ResourceExt>(
    object: Arc<K>,
    _failure: &Failure,
    context: Arc<Context>,
) -> controller::Action {
    controller::Action::requeue(context.attempts.failed(&object.uid().unwrap_or_default()))
}

impl Context {
    /// Decides with the content of the stores. Shortly after the start they can be incomplete: every action allows for
    /// that, and each missing object causes another pass.
    fn decide(&self, claim: &PersistentVolumeClaim) -> Action {
        let class = claim.spec.as_ref().and_then(|spec| spec.storage_class_name.as_deref());
        let class = class.and_then(|name| self.classes.get(&ObjectRef::new(name)));
        let volume = volume_name(claim).and_then(|name| self.persistent_volumes.get(&ObjectRef::new(&name)));
        decide(claim, class.as_deref(), volume.as_deref())
    }

    async fn provision(
        &self,
        claim: &PersistentVolumeClaim,
        provision: Provision,
    ) -> Result<(&'static str, String)> {
        let (kind, name, bytes) = (provision.kind, provision.name.clone(), provision.bytes);
        let path = self.run_blocking(move |volumes| volumes.create(kind, &name, bytes)).await?;
        let volume = object::volume(claim, &provision, &path)?;
        let api: Api<PersistentVolume> = Api::all(self.client.clone());
        match api.create(&PostParams::default(), &volume).await {
            // An earlier pass created it, and the store is older than that. The name contains the UID of the claim, so
            // it is the same volume.
            Err(kube::Error::Api(status)) if status.is_already_exists() => {}
            outcome => drop(outcome.with_context(|| format!("cannot create volume {}", provision.name))?),
        }
        let note = format!("created {} ({}) on {}", provision.name, provision.capacity.0, provision.node);
        Ok(("ProvisioningSucceeded", note))
    }

    /// The file system first, then the `PersistentVolume`, then the claim: an announced size always exists.
    async fn grow(
        &self,
        claim: &PersistentVolumeClaim,
        name: String,
        bytes: u64,
    ) -> Result<(&'static str, String)> {
        let volume = name.clone();
        let size = self.run_blocking(move |volumes| volumes.grow(&volume, bytes)).await?;
        let capacity = quantity::of_bytes(size);
        let api: Api<PersistentVolume> = Api::all(self.client.clone());
        api.patch(&name, &PatchParams::default(), &Patch::Merge(object::grown_volume(&capacity)))
            .await
            .with_context(|| format!("cannot write the new size of volume {name}"))?;
        let api: Api<PersistentVolumeClaim> =
            Api::namespaced(self.client.clone(), &claim.namespace().unwrap_or_default());
        let patch = Patch::Merge(object::grown_claim(claim, &capacity));
        api.patch_status(&claim.name_any(), &PatchParams::default(), &patch)
            .await
            .with_context(|| format!("cannot write the new size of claim {}", object::title(claim)))?;
        Ok(("VolumeResizeSuccessful", format!("expanded {name} to {}", capacity.0)))
    }

    /// The data first: as long as the object exists, the removal is retried.
    async fn remove(&self, volume: &PersistentVolume) -> Result<()> {
        let name = volume.name_any();
        let directory = name.clone();
        self.run_blocking(move |volumes| volumes.remove(&directory)).await?;
        let same = Preconditions { uid: volume.uid(), resource_version: None };
        let api: Api<PersistentVolume> = Api::all(self.client.clone());
        match api.delete(&name, &DeleteParams::default().preconditions(same)).await {
            // It was deleted already, or replaced by another of the same name, which must not be deleted.
            Err(kube::Error::Api(status)) if status.is_not_found() || status.is_conflict() => Ok(()),
            outcome => outcome.map(drop).with_context(|| format!("cannot delete volume {name}")),
        }
    }

    /// Runs work on another thread, because it blocks and the controllers must continue.
    async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Volumes) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let volumes = self.volumes.clone();
        tokio::task::spawn_blocking(move || work(&volumes))
            .await
            .context("the work on a volume was cancelled")?
    }

    /// Logs a note about an object and publishes it as an event, unless it repeats the last note. A failed publication
    /// is only logged.
    async fn publish<K>(&self, object: &K, severity: EventType, reason: &str, note: &str)
    where
        K: Resource<DynamicType = ()>,
    {
        let uid = object.uid().unwrap_or_default();
        if !self.attempts.is_new(&uid, note) {
            return;
        }
        let name =
            [object.namespace(), Some(object.name_any())].into_iter().flatten().collect::<Vec<_>>().join("/");
        console::line(format!("{name}: {note}"));
        let event = Event {
            type_: severity,
            reason: reason.to_owned(),
            note: Some(note[..note.floor_char_boundary(LONGEST_NOTE)].to_owned()),
            action: "Provisioning".to_owned(),
            secondary: None,
        };
        let regarding = ObjectReference { resource_version: None, ..object.object_ref(&()) };
        // A recorder that is kept would increase the count of its first event and keep the note of that one.
        let recorder = Recorder::new(self.client.clone(), REPORTER.into());
        if let Err(error) = recorder.publish(&event, &regarding).await {
            console::note(format!("cannot publish an event on {name}: {error}"));
        }
    }
}
