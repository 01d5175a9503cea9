//! Pods that were made and removed in a run, and how many there may be. Pure: a roll-out too many shows as pods that were made
//! once more than without the disturbance, though the end is the same.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::Value;

use crate::state::Name;

/// One pod that was seen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pod {
    /// Its name; a star replaces what the server generated.
    pub name: String,
    /// Whose it is.
    pub owner: Option<Name>,
    /// From which revision of its owner's template it was made.
    pub revision: String,
    /// Whether it is gone.
    pub removed: bool,
}

/// Every pod that was seen in a namespace, by unique id.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pods(BTreeMap<String, Pod>);

/// How many pods of one name were made and removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// So many were made.
    pub made: usize,
    /// So many were removed.
    pub removed: usize,
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} made and {} removed", self.made, self.removed)
    }
}

impl Pods {
    /// A pod is there, or is gone.
    pub fn see(&mut self, pod: &Value, there: bool) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let owners = pod["metadata"]["ownerReferences"].as_array();
        let controller = owners.into_iter().flatten().find(|owner| owner["controller"] == true);
        let owner = controller.map(|owner| Name { kind: plural(&owner["kind"]), name: text(&owner["name"]) });
        let numbered = owner.as_ref().is_some_and(|owner| owner.kind == "statefulsets.apps");
        let made_up = pod["metadata"]["generateName"].as_str().filter(|_| !numbered);
        let name = made_up.map_or_else(|| text(&pod["metadata"]["name"]), |start| format!("{start}*"));
        let revision = text(&pod["metadata"]["labels"]["controller-revision-hash"]);
        let known = self.0.entry(text(&pod["metadata"]["uid"])).or_default();
        // What was seen to be gone does not come back.
        let removed = known.removed || !there;
        *known = Pod { name, owner, revision, removed };
    }

    /// The unique ids of those that are there.
    pub fn alive(&self) -> BTreeSet<&str> {
        self.0.iter().filter(|(_, pod)| !pod.removed).map(|(uid, _)| uid.as_str()).collect()
    }

    /// How many were made and removed, by name.
    pub fn counts(&self) -> BTreeMap<&str, Counts> {
        let mut all: BTreeMap<&str, Counts> = BTreeMap::new();
        for pod in self.0.values() {
            let counts = all.entry(&pod.name).or_default();
            counts.made += 1;
            counts.removed += usize::from(pod.removed);
        }
        all
    }

    /// How many were made and removed since an earlier look at the same namespace.
    fn since(&self, earlier: &Self) -> BTreeMap<&str, Counts> {
        let mut all: BTreeMap<&str, Counts> = BTreeMap::new();
        for (uid, pod) in &self.0 {
            let before = earlier.0.get(uid);
            let counts = all.entry(&pod.name).or_default();
            counts.made += usize::from(before.is_none());
            counts.removed += usize::from(pod.removed && before.is_none_or(|before| !before.removed));
        }
        all
    }

    /// How many are there, by name and revision.
    fn standing(&self) -> BTreeMap<(&str, &str), usize> {
        let mut all = BTreeMap::new();
        for pod in self.0.values().filter(|pod| !pod.removed) {
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
    /// Everything was deleted and made again.
    Twice,
    /// An owner of pods was deleted and made again: each of its pods that were there is made and removed once more.
    Remade {
        /// Whose pods.
        owner: Name,
        /// What was there before.
        before: Box<Pods>,
    },
    /// The template of an owner was changed and changed back. What was made from the changed one is removed again; and a
    /// pod that was removed for it is made once more.
    Rolled {
        /// Whose template.
        owner: Name,
        /// What was there before.
        before: Box<Pods>,
    },
    /// The number of an owner's pods was changed and changed back: those that it had too many or too few by number may
    /// have been made and removed.
    Scaled {
        /// Whose number.
        owner: Name,
        /// From this ordinal on.
        from: u64,
        /// Up to this one, itself not.
        to: u64,
    },
}

impl Effect {
    /// That of an edit of an object, before and after it; `pods` are those that were there before.
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

/// So many more may be made of a pod: at least, at most.
type Range = (usize, usize);

impl Effect {
    /// How many more pods of a name may be made than usual.
    fn more(&self, name: &str, found: &Pods) -> Range {
        match self {
            Self::None | Self::Twice => (0, 0),
            Self::Remade { owner, before } => {
                let is_here = |pod: &&Pod| pod.name == name && pod.owner.as_ref() == Some(owner);
                let more = before.0.values().filter(is_here).filter(|pod| !pod.removed).count();
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

/// What is wrong with the pods of a disturbed run: other numbers than in the two undisturbed ones, beyond what the
/// perturbation itself did. `remade` says how many times more than usual the operator made owners of pods where it may.
pub fn judge(usual: [&Pods; 2], found: &Pods, effect: &Effect, remade: &BTreeMap<Name, u64>) -> Vec<String> {
    let (runs, counted) = (usual.map(Pods::counts), found.counts());
    let names: BTreeSet<&str> = runs.iter().flat_map(BTreeMap::keys).chain(counted.keys()).copied().collect();
    let mut wrong = Vec::new();
    for name in names {
        let of = |counts: &BTreeMap<&str, Counts>| counts.get(name).copied().unwrap_or_default();
        let [one, two] = runs.each_ref().map(of);
        let counts = of(&counted);
        let times = if *effect == Effect::Twice { 2 } else { 1 };
        let (least, most) = effect.more(name, found);
        let again = remade.iter().filter(|(owner, _)| found.of(owner).contains(name));
        let again: usize = again.map(|(_, times)| usize::try_from(*times).unwrap_or(usize::MAX)).sum();
        let made = (times * one.made.min(two.made) + least)..=(times * one.made.max(two.made) + most + again);
        let left = |counts: Counts| counts.made - counts.removed;
        let (left, usual_left) = (left(counts), [left(one), left(two)]);
        if !made.contains(&counts.made) || !usual_left.contains(&left) {
            wrong.push(format!(
                "pods/{name}: {counts}, where {} made and {} left are usual",
                if made.start() == made.end() {
                    made.start().to_string()
                } else {
                    format!("{} to {}", made.start(), made.end())
                },
                usual_left[0],
            ));
        }
    }
    wrong
}

/// What is wrong with the pods of one change of a spec: a pod is replaced once if it comes from another revision of its
/// template, and never if not.
pub fn replaced_once(before: &Pods, after: &Pods) -> Vec<String> {
    let (earlier, later) = (before.standing(), after.standing());
    let mut due: BTreeMap<&str, Counts> = BTreeMap::new();
    let all: BTreeSet<&(&str, &str)> = earlier.keys().chain(later.keys()).collect();
    for key in all {
        let of = |standing: &BTreeMap<(&str, &str), usize>| standing.get(key).copied().unwrap_or(0);
        let (was, is) = (of(&earlier), of(&later));
        let counts = due.entry(key.0).or_default();
        counts.made += is.saturating_sub(was);
        counts.removed += was.saturating_sub(is);
    }
    let counted = after.since(before);
    let mut wrong = Vec::new();
    for (name, counts) in counted {
        let due = due.get(name).copied().unwrap_or_default();
        if counts != due {
            wrong.push(format!("pods/{name}: {counts}, where its templates account for {due}"));
        }
    }
    wrong
}

#[cfg(test)]
mod tests;
