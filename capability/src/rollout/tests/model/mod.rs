//! A model of a cluster: the spec of a user, an operator that applies it and our decisions, a StatefulSet controller, a
//! garbage collector and a kubelet. The test decides which of them acts next.

mod controller;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::{Pod, PodSpec, Volume};
use k8s_openapi::jiff::Timestamp;

use super::build::{self, pod, ready, stateful_set, templates, waiting};
use crate::health::is_ready;
use crate::rollout::{RepairPolicy, Situation, decide};

/// The spec that the user wrote.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct DesiredState {
    /// Pods with an even image become ready, those with an odd one fail.
    pub(crate) image: u8,
    pub(crate) replicas: i32,
    pub(crate) template: Option<&'static str>,
    pub(crate) service: &'static str,
    pub(crate) label: &'static str,
    pub(crate) ordered: bool,
}

/// How the cluster and the operator are set up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setup {
    /// Whether the operator may patch pods.
    pub(crate) may_patch: bool,
    /// Whether an unavailable pod delays every update, as in Kubernetes 1.35.0.
    pub(crate) counts_unavailable: bool,
    /// Whether pods are processed in growing batches, or one after the other as in old versions.
    pub(crate) in_batches: bool,
}

/// A component that acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Actor {
    Operator,
    Collector,
    Controller,
    Kubelet,
}

pub(crate) const ACTORS: [Actor; 4] = [Actor::Operator, Actor::Collector, Actor::Controller, Actor::Kubelet];

#[derive(Clone)]
pub(crate) struct World {
    pub(crate) desired: DesiredState,
    setup: Setup,
    set: Option<StatefulSet>,
    pods: BTreeMap<String, Pod>,
    /// Pods that were ready until the operator removed them, and that are not ready again yet.
    pub(crate) down: BTreeSet<String>,
    /// Whether the operator just removed a ready pod, although more pods would have become ready without that.
    pub(crate) is_impatient: bool,
    last_uid: u32,
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:?}\n{:?}, taken down: {:?}", self.desired, self.setup, self.down)?;
        if let Some(set) = &self.set {
            let terminates = set.metadata.deletion_timestamp.is_some();
            writeln!(f, "{:?}, terminates: {terminates}, {:?}", set.metadata.uid, set.status)?;
        }
        for (name, pod) in &self.pods {
            let owner = pod.metadata.owner_references.iter().flatten().map(|owner| &owner.uid).next();
            let terminates = pod.metadata.deletion_timestamp.is_some();
            let volumes = pod.spec.iter().flat_map(|spec| spec.volumes.iter().flatten());
            let volumes: Vec<&str> = volumes.map(|volume| volume.name.as_str()).collect();
            let (ready, labels) = (is_ready(pod), &pod.metadata.labels);
            writeln!(
                f,
                "{name} of {owner:?}, ready: {ready}, terminates: {terminates}, {volumes:?}, {labels:?}"
            )?;
        }
        Ok(())
    }
}

impl DesiredState {
    fn set(&self) -> StatefulSet {
        let names: Vec<&str> = self.template.into_iter().collect();
        let mut set = templates(stateful_set(self.replicas), &names);
        let spec = set.spec.get_or_insert_default();
        spec.service_name = Some(self.service.into());
        spec.pod_management_policy = Some(if self.ordered { "OrderedReady" } else { "Parallel" }.into());
        let labels = BTreeMap::from([("app".to_owned(), self.label.to_owned())]);
        spec.selector.match_labels = Some(labels.clone());
        spec.template.metadata.get_or_insert_default().labels = Some(labels);
        // The name of a volume represents the storage of a pod.
        let mount = Volume { name: format!("mount-{:?}", self.template), ..Volume::default() };
        let image = Volume { name: format!("image-{}", self.image), ..Volume::default() };
        spec.template.spec = Some(PodSpec { volumes: Some(vec![image, mount]), ..PodSpec::default() });
        set.status = None;
        set
    }
}

impl World {
    pub(crate) fn new(desired: DesiredState, setup: Setup) -> Self {
        Self {
            desired,
            setup,
            set: None,
            pods: BTreeMap::new(),
            down: BTreeSet::new(),
            is_impatient: false,
            last_uid: 0,
        }
    }

    pub(crate) fn set_desired(&mut self, desired: DesiredState) {
        self.desired = desired;
        let names = self.names();
        self.down.retain(|name| names.contains(name));
    }

    /// The names of the desired pods.
    fn names(&self) -> Vec<String> {
        (0..self.desired.replicas).map(|ordinal| format!("set-{ordinal}")).collect()
    }

    pub(crate) fn act(&mut self, actor: Actor) {
        match actor {
            Actor::Operator => self.operate(),
            Actor::Collector => self.collect(),
            Actor::Controller => self.control(),
            Actor::Kubelet => self.run(),
        }
    }

    /// A hash of the objects, to detect whether anything changes.
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        format!("{:?}{:?}", self.set, self.pods).hash(&mut hasher);
        hasher.finish()
    }

    /// Whether the desired state is reached: the desired number of pods, each as a new one would be, and ready.
    pub(crate) fn is_reached(&self) -> bool {
        let wanted = self.desired.set();
        let Some(set) = self.set.as_ref().filter(|set| set.spec == wanted.spec) else { return false };
        let is_new = |(ordinal, pod): (usize, &Pod)| {
            let ordinal = i32::try_from(ordinal).unwrap_or_default();
            let mut new = controller::build(set, ordinal);
            new.metadata.uid.clone_from(&pod.metadata.uid);
            new.status.clone_from(&pod.status);
            *pod == new && is_ready(pod)
        };
        set.metadata.deletion_timestamp.is_none()
            && self.pods.keys().eq(&self.names())
            && self.pods.values().enumerate().all(is_new)
    }

    /// Applies the desired state, as the kernel does, and our decisions.
    fn operate(&mut self) {
        let mut wanted = self.desired.set();
        let Some(set) = &mut self.set else {
            self.last_uid += 1;
            wanted.metadata.uid = Some(format!("set-{}", self.last_uid));
            self.set = Some(wanted);
            return;
        };
        if set.metadata.deletion_timestamp.is_some() {
            return;
        }
        let (Some(present), Some(asked)) = (&mut set.spec, wanted.spec) else { return };
        let mut changed = asked.clone();
        changed.replicas = present.replicas;
        changed.template = present.template.clone();
        if changed != *present {
            set.metadata.deletion_timestamp =
                Some(build::leaving(pod(0)).metadata.deletion_timestamp.unwrap());
            return;
        }
        if *present != asked {
            *present = asked;
            set.metadata.generation = set.metadata.generation.map(|generation| generation + 1);
        }
        self.follow();
    }

    fn follow(&mut self) {
        let Some(set) = &self.set else { return };
        let pods: Vec<Pod> = self.pods.values().cloned().collect();
        let decision = decide(&Situation {
            set,
            pods: &pods,
            claims: &[],
            may_patch_pods: Some(self.setup.may_patch),
            repair: RepairPolicy::Failing,
            now: Timestamp::UNIX_EPOCH,
        });
        for relabel in decision.relabels {
            assert!(self.setup.may_patch);
            let pod = self.pods.get_mut(&*relabel.key.name).expect("an existing pod");
            pod.metadata.labels.get_or_insert_default().extend(relabel.labels);
        }
        if let Some(removal) = decision.removal {
            let is_wanted = self.names().contains(&removal.name);
            let pod = self.pods.get_mut(&removal.name).expect("an existing pod");
            assert_eq!(pod.metadata.uid.as_deref(), Some(removal.uid.as_str()));
            assert_eq!(pod.metadata.deletion_timestamp, None, "it is already terminating");
            if is_ready(pod) && is_wanted {
                self.down.insert(removal.name.clone());
                // In a batch, a later pod may still be created; older controllers do not create it, so it is not awaited.
                self.is_impatient = !self.setup.in_batches && self.would_waiting_help();
            }
            let pod = self.pods.get_mut(&removal.name).expect("an existing pod");
            *pod = build::leaving(pod.clone());
        }
    }

    /// Whether more pods would become ready if the operator did nothing for a while.
    fn would_waiting_help(&self) -> bool {
        let serving = |world: &Self| {
            let names = world.names();
            let serves = |(name, pod): &(&String, &Pod)| is_ready(pod) && names.contains(name);
            world.pods.iter().filter(serves).count()
        };
        let mut waiting_world = self.clone();
        for _ in 0..50 {
            for actor in ACTORS.into_iter().filter(|actor| *actor != Actor::Operator) {
                waiting_world.act(actor);
            }
        }
        serving(&waiting_world) > serving(self)
    }

    /// Orphans the pods of a StatefulSet that is being deleted, and removes it.
    fn collect(&mut self) {
        if let Some(set) = self.set.take_if(|set| set.metadata.deletion_timestamp.is_some()) {
            for pod in self.pods.values_mut().filter(|pod| controller::is_held(&set, pod)) {
                pod.metadata.owner_references = None;
            }
        }
    }

    /// Removes terminating pods; the others become ready or fail.
    fn run(&mut self) {
        self.pods.retain(|_, pod| pod.metadata.deletion_timestamp.is_none());
        for (name, pod) in self.pods.iter_mut().filter(|(_, pod)| !is_ready(pod)) {
            let volumes = pod.spec.as_ref().and_then(|spec| spec.volumes.as_deref()).unwrap_or_default();
            let works = volumes.iter().any(|volume| {
                let image = volume.name.strip_prefix("image-").and_then(|image| image.parse::<u8>().ok());
                image.is_some_and(|image| image.is_multiple_of(2))
            });
            *pod = if works { ready(pod.clone(), 0) } else { waiting(pod.clone(), "ImagePullBackOff") };
            if works {
                self.down.remove(name);
            }
        }
    }
}
