//! Performs what was decided: makes, grows and removes volumes, writes objects and events. Called by the two
//! controllers. Every action may be repeated after a crash at any point, and ends where it would have ended.

#![expect(clippy::disallowed_methods, reason = "the lab is the cluster")]

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
/// The API server refuses events with longer notes.
const LONGEST_NOTE: usize = 1024;

/// Everything a pass needs.
pub(super) struct Context {
    pub(super) client: Client,
    pub(super) volumes: Volumes,
    pub(super) classes: Store<StorageClass>,
    pub(super) persistent_volumes: Store<PersistentVolume>,
    pub(super) attempts: Attempts,
}

/// A pass that failed and is tried again.
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
                let note = "The class binds immediately, but a volume of the lab needs to know its node first: \
                            use a class with volumeBindingMode WaitForFirstConsumer and a pod that mounts the claim.";
                context.tell(&*claim, EventType::Warning, "ProvisioningFailed", note).await;
            }
            return Ok(controller::Action::await_change());
        }
        Action::Refuse(words) => {
            context.tell(&*claim, EventType::Warning, "ProvisioningFailed", words).await;
            return Ok(controller::Action::await_change());
        }
        Action::Provision(provision) => ("ProvisioningFailed", context.provision(&claim, provision).await),
        Action::Grow { name, bytes } => ("VolumeResizeFailed", context.grow(&claim, name, bytes).await),
    };
    match done {
        Ok((reason, note)) => {
            context.tell(&*claim, EventType::Normal, reason, &note).await;
            context.attempts.succeeded(&uid);
            Ok(controller::Action::await_change())
        }
        Err(error) => {
            context.tell(&*claim, EventType::Warning, failed, &format!("{error:#}")).await;
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
            context.tell(&*volume, EventType::Warning, "VolumeFailedDelete", &format!("{error:#}")).await;
            return Err(Failure(error));
        }
        // Our own deletion comes back as a change until it is through.
        if volume.metadata.deletion_timestamp.is_none() {
            console::line(format!("{}: removed", volume.name_any()));
        }
    }
    context.attempts.forget(&volume.uid().unwrap_or_default());
    Ok(controller::Action::await_change())
}

/// When to try again after a failure.
#[expect(clippy::needless_pass_by_value, reason = "the controller wants this signature")]
pub(super) fn try_again<K: ResourceExt>(
    object: Arc<K>,
    _failure: &Failure,
    context: Arc<Context>,
) -> controller::Action {
    controller::Action::requeue(context.attempts.failed(&object.uid().unwrap_or_default()))
}

impl Context {
    /// Decides on what the views show. Early in a process they may lack something: every action bears that, and the
    /// change that fills the gap causes another pass.
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
        let path = self.aside(move |volumes| volumes.create(kind, &name, bytes)).await?;
        let volume = object::volume(claim, &provision, &path)?;
        let api: Api<PersistentVolume> = Api::all(self.client.clone());
        match api.create(&PostParams::default(), &volume).await {
            // An earlier pass made it and our view is older than that: the name tells that it is the same one.
            Err(kube::Error::Api(status)) if status.is_already_exists() => {}
            outcome => drop(outcome.with_context(|| format!("cannot announce volume {}", provision.name))?),
        }
        let note = format!("made {} ({}) on {}", provision.name, provision.capacity.0, provision.node);
        Ok(("ProvisioningSucceeded", note))
    }

    /// The file system first, then the volume, then the claim: what is announced is always there.
    async fn grow(
        &self,
        claim: &PersistentVolumeClaim,
        name: String,
        bytes: u64,
    ) -> Result<(&'static str, String)> {
        let volume = name.clone();
        let size = self.aside(move |volumes| volumes.grow(&volume, bytes)).await?;
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
        Ok(("VolumeResizeSuccessful", format!("grew {name} to {}", capacity.0)))
    }

    /// The data first: as long as the object is there, somebody will try again.
    async fn remove(&self, volume: &PersistentVolume) -> Result<()> {
        let name = volume.name_any();
        let directory = name.clone();
        self.aside(move |volumes| volumes.remove(&directory)).await?;
        let same = Preconditions { uid: volume.uid(), resource_version: None };
        let api: Api<PersistentVolume> = Api::all(self.client.clone());
        match api.delete(&name, &DeleteParams::default().preconditions(same)).await {
            // Gone already, or replaced by another of the same name, which is not ours to delete.
            Err(kube::Error::Api(status)) if status.is_not_found() || status.is_conflict() => Ok(()),
            outcome => outcome.map(drop).with_context(|| format!("cannot delete volume {name}")),
        }
    }

    /// Making file systems blocks, and the controllers must go on meanwhile.
    async fn aside<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Volumes) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let volumes = self.volumes.clone();
        tokio::task::spawn_blocking(move || work(&volumes))
            .await
            .context("the work on a volume was cut off")?
    }

    /// Says something about an object, once, in the log and as an event. A message that cannot be delivered is no reason to stop the work.
    async fn tell<K>(&self, object: &K, severity: EventType, reason: &str, note: &str)
    where
        K: Resource<DynamicType = ()>,
    {
        let uid = object.uid().unwrap_or_default();
        if !self.attempts.is_news(&uid, note) {
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
        // A recorder that lives longer would add to its first event and keep that one's words.
        let recorder = Recorder::new(self.client.clone(), REPORTER.into());
        if let Err(error) = recorder.publish(&event, &regarding).await {
            console::note(format!("cannot publish an event on {name}: {error}"));
        }
    }
}
