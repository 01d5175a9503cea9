//! The upgrade, as a list of phases. `course` is a pure function of what is there and of the phase that the status
//! remembers; everything it orders may be ordered again, because the pass after it may die before it is remembered.
//!
//! ```text
//! Followers ─► Migrating ─► Writer ─► Watching ─► done
//!     │            │           │          │
//!     │            │           └──────────┴─► ReturningData ─┐
//!     └────────────┴──────────────────────────────────────────┴─► ReturningInstances ─► rolled back
//! ```

#[cfg(test)]
mod storm;
#[cfg(test)]
mod tests;

use std::time::Duration;

use api_example::{FailedUpgrade, UpgradeCause, UpgradePhase, UpgradeStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;

use crate::gather::Gate;
use crate::instance::Instance;

/// How much time an upgrade takes for itself. Tests are in a hurry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// How long a new version must serve before the upgrade has succeeded, in seconds.
    pub watched: i64,
    /// How often an upgrade looks again: writes that wait must be told so again, and deadlines pass.
    pub look: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self { watched: 10, look: Duration::from_secs(2) }
    }
}

/// What becomes of a Job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobState {
    /// It is not there.
    Absent,
    /// It runs.
    Running,
    /// It has done its work.
    Done,
    /// It has given up, with these words.
    Failed(String),
}

/// What an upgrade looks at.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    /// The version in use; nothing before the first.
    pub current: Option<String>,
    /// The version to come to.
    pub wanted: String,
    /// The image, if it is not the official one.
    pub image: Option<String>,
    /// How many instances there should be.
    pub replicas: u32,
    /// The instances.
    pub instances: Vec<Instance>,
    /// The upgrade that the status remembers.
    pub upgrade: Option<UpgradeStatus>,
    /// The upgrade that failed last.
    pub failed: Option<FailedUpgrade>,
    /// Where writes stand.
    pub gate: Gate,
    /// The Job that migrates.
    pub migration: JobState,
    /// The Job that takes the data back.
    pub way_back: JobState,
    /// How long a phase may take, in seconds.
    pub deadline: i64,
    /// How much time an upgrade takes for itself.
    pub pace: Pace,
}

/// What an operator asks of the instance that takes the writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    /// Let writes wait.
    Hold,
    /// Let them pass.
    Release,
}

/// A Job to be there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Errand {
    /// Whether the data go back.
    pub back: bool,
    /// The version whose program does it.
    pub by: String,
    /// The version that the data will have.
    pub to: String,
}

/// How an upgrade ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Ended {
    /// The new version is in use.
    Well(String),
    /// The version before is in use again.
    Back(FailedUpgrade),
    /// Somebody wants another version now, and the version before is in use again.
    Superseded,
}

/// What is to be done now.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    /// The version in the pod template.
    pub version: String,
    /// The lowest number of an instance that may be replaced.
    pub partition: i32,
    /// The Jobs that should be there.
    pub errands: Vec<Errand>,
    /// What to ask.
    pub ask: Option<Ask>,
    /// The upgrade to remember.
    pub upgrade: Option<UpgradeStatus>,
    /// How it ended, if it did in this pass.
    pub ended: Option<Ended>,
    /// Why the way back is stuck, if it is.
    pub stuck: Option<String>,
}

impl Course {
    fn settled(version: &str) -> Self {
        Self {
            version: version.into(),
            partition: 0,
            errands: Vec::new(),
            ask: None,
            upgrade: None,
            ended: None,
            stuck: None,
        }
    }
}

/// What is to be done now.
pub fn course(facts: &Facts, now: Timestamp) -> Course {
    let Some(current) = &facts.current else { return Course::settled(&facts.wanted) };
    let Some(mut upgrade) = facts.upgrade.clone().or_else(|| begin(facts, current, now)) else {
        return Course::settled(current);
    };
    // Each phase is left at most once, so this ends.
    while let Some((phase, cause)) = leave(facts, &upgrade, now) {
        upgrade = UpgradeStatus { phase, since: Time(now), cause: cause.or(upgrade.cause), ..upgrade };
    }
    if let Some(ended) = end(facts, &upgrade, now) {
        let version = match &ended {
            Ended::Well(version) => version,
            Ended::Back(_) | Ended::Superseded => &upgrade.from,
        };
        return Course { ended: Some(ended.clone()), ..Course::settled(version) };
    }
    orders(facts, &upgrade)
}

/// An upgrade that should begin: somebody wants another version, and it did not fail already.
fn begin(facts: &Facts, current: &str, now: Timestamp) -> Option<UpgradeStatus> {
    let failed = facts.failed.as_ref();
    let failed = failed.is_some_and(|failed| failed.version == facts.wanted && failed.image == facts.image);
    (facts.wanted != current && !failed).then(|| UpgradeStatus {
        from: current.into(),
        to: facts.wanted.clone(),
        phase: UpgradePhase::Followers,
        since: Time(now),
        cause: None,
    })
}

/// The phase after this one, when its time has come.
fn leave(
    facts: &Facts,
    upgrade: &UpgradeStatus,
    now: Timestamp,
) -> Option<(UpgradePhase, Option<UpgradeCause>)> {
    use UpgradePhase as Phase;
    let to = &upgrade.to;
    let back = |phase, cause| Some((phase, Some(cause)));
    let trouble = || trouble(facts, upgrade, now);
    match upgrade.phase {
        Phase::Followers
            if facts.followers().all(|instance| instance.serves(to)) && facts.has_all_followers() =>
        {
            Some((Phase::Migrating, None))
        }
        Phase::Followers => trouble().and_then(|cause| back(Phase::ReturningInstances, cause)),
        Phase::Migrating => match &facts.migration {
            JobState::Done => Some((Phase::Writer, None)),
            JobState::Failed(words) => {
                let message = format!("the migration to {to} failed: {words}");
                back(Phase::ReturningInstances, UpgradeCause { reason: "MigrationFailed".into(), message })
            }
            JobState::Absent | JobState::Running => {
                trouble().and_then(|cause| back(Phase::ReturningData, cause))
            }
        },
        Phase::Writer if facts.all_serve(to) => Some((Phase::Watching, None)),
        Phase::Writer | Phase::Watching => trouble().and_then(|cause| back(Phase::ReturningData, cause)),
        Phase::ReturningData if facts.way_back == JobState::Done => Some((Phase::ReturningInstances, None)),
        Phase::ReturningData | Phase::ReturningInstances => None,
    }
}

/// Why an upgrade must go back.
fn trouble(facts: &Facts, upgrade: &UpgradeStatus, now: Timestamp) -> Option<UpgradeCause> {
    let cause = |reason: &str, message: String| Some(UpgradeCause { reason: reason.into(), message });
    let to = &upgrade.to;
    if facts.wanted != *to {
        return cause("Superseded", format!("{} is wanted now instead of {to}", facts.wanted));
    }
    let new = || facts.instances.iter().filter(|instance| instance.version.as_deref() == Some(to.as_str()));
    if let Some(broken) = new().find_map(|instance| instance.broken.clone()) {
        return cause("InstanceBroken", broken);
    }
    let waited = now.as_second() - upgrade.since.0.as_second();
    let waits_for = match upgrade.phase {
        UpgradePhase::Followers | UpgradePhase::Writer => "an instance to get ready",
        UpgradePhase::Migrating => "the migration",
        // While it is watched, an instance may be missing for as long as the deadline, for any reason.
        UpgradePhase::Watching => "all instances to be ready",
        UpgradePhase::ReturningData | UpgradePhase::ReturningInstances => return None,
    };
    let late = waited > facts.deadline;
    let message = || {
        format!(
            "waited {waited} s for {waits_for} with {to}; spec.upgrade.progressDeadlineSeconds allows {}",
            facts.deadline
        )
    };
    if late { cause("DeadlineExceeded", message()) } else { None }
}

/// How the upgrade ends, when it does.
fn end(facts: &Facts, upgrade: &UpgradeStatus, now: Timestamp) -> Option<Ended> {
    match upgrade.phase {
        UpgradePhase::Watching => {
            let watched = now.as_second() - upgrade.since.0.as_second();
            (watched >= facts.pace.watched && facts.all_serve(&upgrade.to))
                .then(|| Ended::Well(upgrade.to.clone()))
        }
        UpgradePhase::ReturningInstances if facts.all_serve(&upgrade.from) && facts.gate != Gate::Held => {
            let cause = upgrade.cause.clone()?;
            if cause.reason == "Superseded" {
                return Some(Ended::Superseded);
            }
            let (version, image) = (upgrade.to.clone(), facts.image.clone());
            Some(Ended::Back(FailedUpgrade { version, image, time: Time(now), cause }))
        }
        UpgradePhase::Followers
        | UpgradePhase::Migrating
        | UpgradePhase::Writer
        | UpgradePhase::ReturningData
        | UpgradePhase::ReturningInstances => None,
    }
}

/// What a phase orders.
fn orders(facts: &Facts, upgrade: &UpgradeStatus) -> Course {
    use UpgradePhase as Phase;
    let (from, to) = (upgrade.from.clone(), upgrade.to.clone());
    let there = Errand { back: false, by: to.clone(), to: to.clone() };
    let back = Errand { back: true, by: to.clone(), to: from.clone() };
    let quiet = facts.gate != Gate::Open;
    let mut course = Course { upgrade: Some(upgrade.clone()), ..Course::settled(&to) };
    match upgrade.phase {
        Phase::Followers => course.partition = 1,
        Phase::Migrating => {
            course.partition = 1;
            course.ask = (facts.gate != Gate::Silent).then_some(Ask::Hold);
            // One Job at a time: what is left of another is removed first. Once it is there it stays, whatever the gate
            // says meanwhile.
            let alone = quiet && facts.way_back == JobState::Absent;
            if alone || facts.migration != JobState::Absent {
                course.errands.push(there);
            }
        }
        // The Job stays until the end, as the proof that the data are there.
        Phase::Writer | Phase::Watching => course.errands.push(there),
        Phase::ReturningData => {
            // Nobody is replaced now.
            course.partition = 1;
            course.ask = (facts.gate != Gate::Silent).then_some(Ask::Hold);
            // That the data may have gone ahead must be remembered before the Job that proves it goes.
            let remembered = facts.upgrade.as_ref().is_some_and(|known| known.phase == Phase::ReturningData);
            let alone = quiet && facts.migration == JobState::Absent;
            if !remembered && facts.migration != JobState::Absent {
                course.errands.push(there);
            } else if alone || facts.way_back != JobState::Absent {
                course.errands.push(back);
            }
            if let JobState::Failed(words) = &facts.way_back {
                course.stuck = Some(format!("the data cannot go back to {from}: {words}"));
            }
        }
        Phase::ReturningInstances => {
            course.version = from;
            course.ask = (facts.gate == Gate::Held).then_some(Ask::Release);
            // What was done is remembered only after this pass: until then its Job is the proof, and stays.
            let kept = [(&facts.migration, there), (&facts.way_back, back)];
            let kept = kept.into_iter().filter(|(state, _)| **state != JobState::Absent);
            course.errands.extend(kept.map(|(_, errand)| errand));
        }
    }
    course
}

impl Facts {
    fn followers(&self) -> impl Iterator<Item = &Instance> {
        self.instances.iter().filter(|instance| instance.number > 0 && instance.number < self.replicas)
    }

    fn has_all_followers(&self) -> bool {
        self.followers().count() + 1 >= self.replicas as usize
    }

    fn all_serve(&self, version: &str) -> bool {
        let serving = self.instances.iter().filter(|instance| instance.serves(version)).count();
        let stray = self.instances.iter().any(|instance| instance.version.as_deref() != Some(version));
        serving >= self.replicas as usize && !stray
    }
}
