//! Counts the pods that are created and deleted in a run, and decides how many there may be. Pure. An unnecessary rollout
//! shows as additional pods, although the result is the same.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::Value;

use crate::state::Name;

/// One pod that was seen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pod {
    /// Its name; a star replaces what the server generated.
    pub name: String,
    /// Its controller.
    pub owner: Option<Name>,
    /// The revision of its owner's template that it was created from.
    pub revision: String,
    /// Whether it was deleted.
    pub deleted: bool,
}

/// Every pod that was seen in a namespace, by UID.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pods(BTreeMap<String, Pod>);

/// How many pods of one name were created and deleted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PodCounts {
    /// The number that were created.
    pub created: usize,
    /// The number that were deleted.
    pub deleted: usize,
}

impl fmt::Display for PodCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} created and {} deleted", self.created, self.deleted)
    }
}

impl Pods {
    /// Records that a pod exists, or that it was deleted.
    pub fn see(&mut self, pod: &Value, exists: bool) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let owners = pod["metadata"]["ownerReferences"].as_array();
        let controller = owners.into_iter().flatten().find(|owner| owner["controller"] == true);
        let owner = controller.map(|owner| Name { kind: plural(&owner["kind"]), name: text(&owner["name"]) });
        let numbered = owner.as_ref().is_some_and(|owner| owner.kind == "statefulsets.apps");
        let generated = pod["metadata"]["generateName"].as_str().filter(|_| !numbered);
        let name = generated.map_or_else(|| text(&pod["metadata"]["name"]), |start| format!("{start}*"));
        let revision = text(&pod["metadata"]["labels"]["controller-revision-hash"]);
        let known = self.0.entry(text(&pod["metadata"]["uid"])).or_default();
        // A pod that was deleted does not return: a later event about it is an old one.
        let deleted = known.deleted || !exists;
        *known = Pod { name, owner, revision, deleted };
    }

    /// The UIDs of the pods that exist.
    pub fn existing(&self) -> BTreeSet<&str> {
        self.0.iter().filter(|(_, pod)| !pod.deleted).map(|(uid, _)| uid.as_str()).collect()
    }

    /// How many were created and deleted, by name.
    pub fn counts(&self) -> BTreeMap<&str, PodCounts> {
        let mut all: BTreeMap<&str, PodCounts> = BTreeMap::new();
        for pod in self.0.values() {
            let counts = all.entry(&pod.name).or_default();
            counts.created += 1;
            counts.deleted += usize::from(pod.deleted);
        }
        all
    }

    /// How many were created and deleted since an earlier observation of the same namespace.
    fn since(&self, earlier: &Self) -> BTreeMap<&str, PodCounts> {
        let mut all: BTreeMap<&str, PodCounts> = BTreeMap::new();
        for (uid, pod) in &self.0 {
            let before = earlier.0.get(uid);
            let counts = all.entry(&pod.name).or_default();
            counts.created += usize::from(before.is_none());
            counts.deleted += usize::from(pod.deleted && before.is_none_or(|before| !before.deleted));
        }
        all
    }

    /// How many exist, by name and revision.
    fn by_revision(&self) -> BTreeMap<(&str, &str), usize> {
        let mut all = BTreeMap::new();
        for pod in self.0.values().filter(|pod| !pod.deleted) {
            *all.entry((pod.name.as_str(), pod.revision.as_str())).or_default() += 1;
        }
        all
    }

    /// The names of the pods of an owner.
    fn of(&self, owner: &Name) -> BTreeSet<&str> {
        self.0.values().filter(|pod| pod.owner.as_ref() == Some(owner)).map(|pod| pod.name.as_str()).collect()
    }
}

fn plural(kind: &Value) -> String {
    match kind.as_str().unwrap_or_default() {
        "StatefulSet" => "statefulsets.apps".into(),
        "DaemonSet" => "daemonsets.apps".into(),
        "Job" => "jobs.batch".into(),
        other => other.to_lowercase(),
    }
}

/// What a perturbation does to pods by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    #[default]
    None,
    /// Everything was deleted and created again.
    Twice,
    /// An owner of pods was deleted and created again: each of its pods that existed is created and deleted once more.
    Recreated {
        /// The owner.
        owner: Name,
        /// The pods before.
        before: Box<Pods>,
    },
    /// The template of an owner was changed and changed back. The pods that were created from the changed one are deleted
    /// again, and a pod that was deleted for it is created once more.
    Rolled {
        /// The owner.
        owner: Name,
        /// The pods before.
        before: Box<Pods>,
    },
    /// The replicas of an owner were changed and changed back: the pods with the ordinals between the two numbers may have
    /// been created and deleted.
    Scaled {
        /// The owner.
        owner: Name,
        /// The first ordinal.
        from: u64,
        /// The ordinal after the last one.
        to: u64,
    },
}

impl Effect {
    /// The effect of an edit of an object, given the object before and after it; `pods` are those before.
    pub fn of_edit(name: &Name, (before, after): (&Value, &Value), pods: Pods) -> Self {
        let replicas = |object: &Value| object["spec"]["replicas"].as_u64().unwrap_or(1);
        let (was, is) = (replicas(before), replicas(after));
        if !matches!(name.kind.as_str(), "statefulsets.apps" | "daemonsets.apps") {
            Self::None
        } else if before["spec"]["template"] != after["spec"]["template"] {
            Self::Rolled { owner: name.clone(), before: Box::new(pods) }
        } else if was != is {
            Self::Scaled { owner: name.clone(), from: was.min(is), to: was.max(is) }
        } else {
            Self::None
        }
    }
}

/// How many more pods of a name may be created: at least, at most.
type Range = (usize, usize);

impl Effect {
    /// How many more pods of a name may be created than in the reference.
    fn more(&self, name: &str, found: &Pods) -> Range {
        match self {
            Self::None | Self::Twice => (0, 0),
            Self::Recreated { owner, before } => {
                let is_here = |pod: &&Pod| pod.name == name && pod.owner.as_ref() == Some(owner);
                let more = before.0.values().filter(is_here).filter(|pod| !pod.deleted).count();
                (more, more)
            }
            Self::Rolled { owner, before } => {
                if !found.of(owner).contains(name) {
                    return (0, 0);
                }
                let known: BTreeSet<&str> = before.0.values().map(|pod| pod.revision.as_str()).collect();
                let is_drifted = |pod: &&Pod| pod.name == name && !known.contains(pod.revision.as_str());
                let drifted = found.0.values().filter(is_drifted).count();
                // A pod that was replaced by a changed one is replaced once more; the template was changed once.
                if drifted == 0 { (0, 1) } else { (2, 2) }
            }
            Self::Scaled { owner, from, to } => {
                let ordinal =
                    name.strip_prefix(&format!("{}-", owner.name)).and_then(|rest| rest.parse().ok());
                let is_within = ordinal.is_some_and(|ordinal: u64| (*from..*to).contains(&ordinal));
                (0, usize::from(is_within))
            }
        }
    }
}

/// Compares the number of pods of a disturbed run with that of the two reference runs, and allows for the effect of the
/// perturbation. One line for each difference. `recreated` says how many times more than in the reference the operator
/// created owners of pods, where that is allowed.
pub fn check(
    usual: [&Pods; 2],
    found: &Pods,
    effect: &Effect,
    recreated: &BTreeMap<Name, u64>,
) -> Vec<String> {
    let (runs, counted) = (usual.map(Pods::counts), found.counts());
    let names: BTreeSet<&str> = runs.iter().flat_map(BTreeMap::keys).chain(counted.keys()).copied().collect();
    let mut wrong = Vec::new();
    for name in names {
        let of = |counts: &BTreeMap<&str, PodCounts>| counts.get(name).copied().unwrap_or_default();
        let [one, two] = runs.each_ref().map(of);
        let counts = of(&counted);
        let times = if *effect == Effect::Twice { 2 } else { 1 };
        let (least, most) = effect.more(name, found);
        let again = recreated.iter().filter(|(owner, _)| found.of(owner).contains(name));
        let again: usize = again.map(|(_, times)| usize::try_from(*times).unwrap_or(usize::MAX)).sum();
        let created = (times * one.created.min(two.created) + least)
            ..=(times * one.created.max(two.created) + most + again);
        let left = |counts: PodCounts| counts.created - counts.deleted;
        let (left, usual_left) = (left(counts), [left(one), left(two)]);
        if !created.contains(&counts.created) || !usual_left.contains(&left) {
            wrong.push(format!(
                "pods/{name}: {counts}, expected {} created and {} left",
                if created.start() == created.end() {
                    created.start().to_string()
                } else {
                    format!("{} to {}", created.start(), created.end())
                },
                usual_left[0],
            ));
        }
    }
    wrong
}

/// Checks the pods of one change of a spec: a pod is replaced once if the revision of its template changed, and never if
/// not. One line for each violation.
pub fn replaced_once(before: &Pods, after: &Pods) -> Vec<String> {
    let (earlier, later) = (before.by_revision(), after.by_revision());
    let mut due: BTreeMap<&str, PodCounts> = BTreeMap::new();
    let all: BTreeSet<&(&str, &str)> = earlier.keys().chain(later.keys()).collect();
    for key in all {
        let of = |counts: &BTreeMap<(&str, &str), usize>| counts.get(key).copied().unwrap_or(0);
        let (was, is) = (of(&earlier), of(&later));
        let counts = due.entry(key.0).or_default();
        counts.created += is.saturating_sub(was);
        counts.deleted += was.saturating_sub(is);
    }
    let counted = after.since(before);
    let mut wrong = Vec::new();
    for (name, counts) in counted {
        let due = due.get(name).copied().unwrap_or_default();
        if counts != due {
            wrong.push(format!("pods/{name}: {counts}, expected {due} for the changes of its template"));
        }
    }
    wrong
}

#[cfg(test)]
mod tests;
