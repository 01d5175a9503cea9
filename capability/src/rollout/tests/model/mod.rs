//! A small world: a user's wish, an operator that writes it and follows our decisions, a StatefulSet controller that does
//! what the one of Kubernetes does, and a kubelet. Each acts when it is told to.

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

/// What the user wants.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Wish {
    /// An even one works, an odd one does not.
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
    /// Whether unavailable pods hold every update back, as in Kubernetes 1.35.0.
    pub(crate) counts_unavailable: bool,
    /// Whether pods are looked at in growing batches, or one after the other as in old versions.
    pub(crate) in_batches: bool,
}

/// Who acts.
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
    pub(crate) wish: Wish,
    setup: Setup,
    set: Option<StatefulSet>,
    pods: BTreeMap<String, Pod>,
    /// Pods that served until the operator removed them, and that do not serve again yet.
    pub(crate) down: BTreeSet<String>,
    /// Whether the operator just removed a pod that served, and more would serve had it waited.
    pub(crate) is_impatient: bool,
    last_uid: u32,
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:?}\n{:?}, taken down: {:?}", self.wish, self.setup, self.down)?;
        if let Some(set) = &self.set {
            let leaves = set.metadata.deletion_timestamp.is_some();
            writeln!(f, "{:?}, leaves: {leaves}, {:?}", set.metadata.uid, set.status)?;
        }
        for (name, pod) in &self.pods {
            let owner = pod.metadata.owner_references.iter().flatten().map(|owner| &owner.uid).next();
            let leaves = pod.metadata.deletion_timestamp.is_some();
            let volumes = pod.spec.iter().flat_map(|spec| spec.volumes.iter().flatten());
            let volumes: Vec<&str> = volumes.map(|volume| volume.name.as_str()).collect();
            let (ready, labels) = (is_ready(pod), &pod.metadata.labels);
            writeln!(f, "{name} of {owner:?}, ready: {ready}, leaves: {leaves}, {volumes:?}, {labels:?}")?;
        }
        Ok(())
    }
}

impl Wish {
    fn set(&self) -> StatefulSet {
        let names: Vec<&str> = self.template.into_iter().collect();
        let mut set = templates(stateful_set(self.replicas), &names);
        let spec = set.spec.get_or_insert_default();
        spec.service_name = Some(self.service.into());
        spec.pod_management_policy = Some(if self.ordered { "OrderedReady" } else { "Parallel" }.into());
        let labels = BTreeMap::from([("app".to_owned(), self.label.to_owned())]);
        spec.selector.match_labels = Some(labels.clone());
        spec.template.metadata.get_or_insert_default().labels = Some(labels);
        // The mount of a volume stands for all that a pod says about its storage.
        let mount = Volume { name: format!("mount-{:?}", self.template), ..Volume::default() };
        let image = Volume { name: format!("image-{}", self.image), ..Volume::default() };
        spec.template.spec = Some(PodSpec { volumes: Some(vec![image, mount]), ..PodSpec::default() });
        set.status = None;
        set
    }
}

impl World {
    pub(crate) fn new(wish: Wish, setup: Setup) -> Self {
        Self {
            wish,
            setup,
            set: None,
            pods: BTreeMap::new(),
            down: BTreeSet::new(),
            is_impatient: false,
            last_uid: 0,
        }
    }

    pub(crate) fn wish(&mut self, wish: Wish) {
        self.wish = wish;
        let names = self.names();
        self.down.retain(|name| names.contains(name));
    }

    /// The names of the pods that the user wants.
    fn names(&self) -> Vec<String> {
        (0..self.wish.replicas).map(|ordinal| format!("set-{ordinal}")).collect()
    }

    pub(crate) fn act(&mut self, actor: Actor) {
        match actor {
            Actor::Operator => self.operate(),
            Actor::Collector => self.collect(),
            Actor::Controller => self.control(),
            Actor::Kubelet => self.run(),
        }
    }

    /// What there is, so that one sees whether anything happens.
    pub(crate) fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        format!("{:?}{:?}", self.set, self.pods).hash(&mut hasher);
        hasher.finish()
    }

    /// Whether all is as the user wants it: as many pods as he wants, each as a new one would be, and ready.
    pub(crate) fn is_fulfilled(&self) -> bool {
        let wanted = self.wish.set();
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

    /// Writes the wish, as the kernel does, and follows our decisions.
    fn operate(&mut self) {
        let mut wanted = self.wish.set();
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
            let pod = self.pods.get_mut(&*relabel.key.name).expect("a pod that is there");
            pod.metadata.labels.get_or_insert_default().extend(relabel.labels);
        }
        if let Some(removal) = decision.removal {
            let is_wanted = self.names().contains(&removal.name);
            let pod = self.pods.get_mut(&removal.name).expect("a pod that is there");
            assert_eq!(pod.metadata.uid.as_deref(), Some(removal.uid.as_str()));
            assert_eq!(pod.metadata.deletion_timestamp, None, "it goes already");
            if is_ready(pod) && is_wanted {
                self.down.insert(removal.name.clone());
                // In a batch one that stands behind may still be made; older controllers do not, so nobody waits for it.
                self.is_impatient = !self.setup.in_batches && self.patience_pays();
            }
            let pod = self.pods.get_mut(&removal.name).expect("a pod that is there");
            *pod = build::leaving(pod.clone());
        }
    }

    /// Whether more pods would serve if the operator did nothing for a while.
    fn patience_pays(&self) -> bool {
        let serving = |world: &Self| {
            let names = world.names();
            let serves = |(name, pod): &(&String, &Pod)| is_ready(pod) && names.contains(name);
            world.pods.iter().filter(serves).count()
        };
        let mut patient = self.clone();
        for _ in 0..50 {
            ACTORS.iter().filter(|actor| **actor != Actor::Operator).for_each(|actor| patient.act(*actor));
        }
        serving(&patient) > serving(self)
    }

    /// Frees the pods of a StatefulSet that is deleted, and then lets it go.
    fn collect(&mut self) {
        if let Some(set) = self.set.take_if(|set| set.metadata.deletion_timestamp.is_some()) {
            for pod in self.pods.values_mut().filter(|pod| controller::is_held(&set, pod)) {
                pod.metadata.owner_references = None;
            }
        }
    }

    /// Pods that shall go are gone; others come up, or do not.
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
