//! The upgrade, as a list of phases. `next` is a pure function of the facts and of the phase in the status. The same orders
//! may be repeated, because a pass may end before its status is written.
//!
//! ```text
//! Followers ─► Migrating ─► Writer ─► Watching ─► done
//!     │            │           │          │
//!     │            │           └──────────┴─► ReturningData ─┐
//!     └────────────┴──────────────────────────────────────────┴─► ReturningInstances ─► rolled back
//! ```

#[cfg(test)]
mod tests;

use std::time::Duration;

use api_example::{FailedUpgrade, UpgradeCause, UpgradePhase as Phase, UpgradeStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;

use crate::condition::Reason;
use crate::gather::Writes;
use crate::instance::AppInstance;

/// The times of an upgrade. Tests use shorter ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timing {
    /// How long a new version must serve before the upgrade has succeeded, in seconds.
    pub watched: i64,
    /// The time between two passes of an upgrade: the request to hold writes must be repeated in time.
    pub interval: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Self { watched: 10, interval: Duration::from_secs(2) }
    }
}

/// The state of a Job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobState {
    /// It does not exist.
    Absent,
    /// It runs.
    Running,
    /// It has succeeded.
    Done,
    /// It has failed, with this message.
    Failed(String),
}

/// The facts that an upgrade depends on.
#[derive(Debug, Clone, PartialEq)]
pub struct UpgradeFacts {
    /// The version in use; `None` before the first installation.
    pub current: Option<String>,
    /// The wanted version.
    pub wanted: String,
    /// The image, if it is not the official one.
    pub image: Option<String>,
    /// The number of instances that are wanted.
    pub replicas: i32,
    /// The instances.
    pub instances: Vec<AppInstance>,
    /// The upgrade in the status.
    pub upgrade: Option<UpgradeStatus>,
    /// The upgrade that failed last.
    pub failed: Option<FailedUpgrade>,
    /// What the first instance does with writes.
    pub writes: Writes,
    /// The Job that migrates the data.
    pub migration: JobState,
    /// The Job that migrates them back.
    pub migration_back: JobState,
    /// How long a phase may take, in seconds.
    pub deadline: i64,
    /// The times of an upgrade.
    pub timing: Timing,
}

/// A request to the first instance about writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteControl {
    /// Hold them.
    Hold,
    /// Release them.
    Release,
}

/// A desired Job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Migration {
    /// Whether it migrates the data back.
    pub is_back: bool,
    /// The version whose program does it.
    pub by: String,
    /// The version that the data will have.
    pub to: String,
}

/// How an upgrade ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Ended {
    /// The new version is in use.
    Succeeded(String),
    /// The previous version is in use again.
    RolledBack(FailedUpgrade),
    /// Another version is wanted now, and the previous version is in use again.
    Superseded,
}

/// The orders for this pass.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rollout {
    /// The version in the pod template.
    pub version: String,
    /// The lowest ordinal of an instance that may be replaced.
    pub partition: i32,
    /// The desired Jobs.
    pub migrations: Vec<Migration>,
    /// The request to the first instance.
    pub control: Option<WriteControl>,
    /// The upgrade for the status.
    pub upgrade: Option<UpgradeStatus>,
    /// How it ended, if it did in this pass.
    pub ended: Option<Ended>,
    /// Why the upgrade cannot be rolled back, if it cannot.
    pub stuck: Option<String>,
}

impl Rollout {
    /// Without an upgrade.
    pub fn settled(version: &str) -> Self {
        Self { version: version.into(), ..Self::default() }
    }

    /// Whether every pod that is created again now gets the version that its data have.
    pub fn is_safe_to_replace(&self) -> bool {
        self.upgrade.as_ref().is_none_or(|upgrade| upgrade.phase == Phase::ReturningInstances)
    }
}

/// The orders for this pass.
pub fn next(facts: &UpgradeFacts, now: Timestamp) -> Rollout {
    let Some(current) = &facts.current else { return Rollout::settled(&facts.wanted) };
    let Some(mut upgrade) = facts.upgrade.clone().or_else(|| begin(facts, current, now)) else {
        return Rollout::settled(current);
    };
    // Each phase is left at most once, so this ends.
    while let Some((phase, cause)) = next_phase(facts, &upgrade, now) {
        upgrade = UpgradeStatus { phase, since: Time(now), cause: cause.or(upgrade.cause), ..upgrade };
    }
    match end(facts, &upgrade, now) {
        Some(Ended::Succeeded(version)) => {
            Rollout { ended: Some(Ended::Succeeded(version.clone())), ..Rollout::settled(&version) }
        }
        Some(ended) => Rollout { ended: Some(ended), ..Rollout::settled(&upgrade.from) },
        None => orders(facts, upgrade),
    }
}

/// A new upgrade, if another version is wanted that has not failed already.
fn begin(facts: &UpgradeFacts, current: &str, now: Timestamp) -> Option<UpgradeStatus> {
    let failed = facts.failed.as_ref();
    let failed = failed.is_some_and(|failed| failed.version == facts.wanted && failed.image == facts.image);
    (facts.wanted != current && !failed).then(|| UpgradeStatus {
        from: current.into(),
        to: facts.wanted.clone(),
        phase: Phase::Followers,
        since: Time(now),
        cause: None,
    })
}

/// The next phase, if this one is over, and the cause if the upgrade is rolled back.
fn next_phase(
    facts: &UpgradeFacts,
    upgrade: &UpgradeStatus,
    now: Timestamp,
) -> Option<(Phase, Option<UpgradeCause>)> {
    let to = &upgrade.to;
    let rolled_back = |phase| Some((phase, Some(problem(facts, upgrade, now)?)));
    match upgrade.phase {
        Phase::Followers if facts.followers_serve(to) => Some((Phase::Migrating, None)),
        Phase::Followers => rolled_back(Phase::ReturningInstances),
        Phase::Migrating => match &facts.migration {
            JobState::Done => Some((Phase::Writer, None)),
            JobState::Failed(why) => {
                let cause = cause(Reason::MigrationFailed, format!("the migration to {to} failed: {why}"));
                Some((Phase::ReturningInstances, Some(cause)))
            }
            JobState::Absent | JobState::Running => rolled_back(Phase::ReturningData),
        },
        Phase::Writer if facts.all_serve(to) => Some((Phase::Watching, None)),
        Phase::Writer | Phase::Watching => rolled_back(Phase::ReturningData),
        Phase::ReturningData if facts.migration_back == JobState::Done => {
            Some((Phase::ReturningInstances, None))
        }
        Phase::ReturningData | Phase::ReturningInstances => None,
    }
}

fn cause(reason: Reason, message: String) -> UpgradeCause {
    UpgradeCause { reason: reason.as_str().into(), message }
}

/// Why an upgrade must be rolled back.
fn problem(facts: &UpgradeFacts, upgrade: &UpgradeStatus, now: Timestamp) -> Option<UpgradeCause> {
    let to = &upgrade.to;
    if facts.wanted != *to {
        let message = format!("{} is wanted now instead of {to}", facts.wanted);
        return Some(cause(Reason::Superseded, message));
    }
    let mut new = facts.instances.iter().filter(|instance| instance.version.as_ref() == Some(to));
    if let Some(failure) = new.find_map(AppInstance::failure) {
        return Some(cause(Reason::InstanceBroken, failure));
    }
    let waited = now.as_second() - upgrade.since.0.as_second();
    let waits_for = match upgrade.phase {
        Phase::Followers | Phase::Writer => "an instance to become ready",
        Phase::Migrating => "the migration",
        // In this phase, an instance may be unavailable until the deadline, for any reason.
        Phase::Watching => "all instances to be ready",
        Phase::ReturningData | Phase::ReturningInstances => return None,
    };
    (waited > facts.deadline).then(|| {
        let message = format!(
            "waited {waited} s for {waits_for} with {to}; spec.upgrade.progressDeadlineSeconds allows {}",
            facts.deadline
        );
        cause(Reason::DeadlineExceeded, message)
    })
}

/// How the upgrade ends, if it does.
fn end(facts: &UpgradeFacts, upgrade: &UpgradeStatus, now: Timestamp) -> Option<Ended> {
    match upgrade.phase {
        Phase::Watching => {
            let watched = now.as_second() - upgrade.since.0.as_second();
            let is_over = watched >= facts.timing.watched && facts.all_serve(&upgrade.to);
            is_over.then(|| Ended::Succeeded(upgrade.to.clone()))
        }
        Phase::ReturningInstances if facts.all_serve(&upgrade.from) && facts.writes != Writes::Held => {
            let cause = upgrade.cause.clone()?;
            if cause.reason == Reason::Superseded.as_str() {
                return Some(Ended::Superseded);
            }
            let (version, image) = (upgrade.to.clone(), facts.image.clone());
            Some(Ended::RolledBack(FailedUpgrade { version, image, time: Time(now), cause }))
        }
        Phase::Followers
        | Phase::Migrating
        | Phase::Writer
        | Phase::ReturningData
        | Phase::ReturningInstances => None,
    }
}

/// What a phase orders.
fn orders(facts: &UpgradeFacts, upgrade: UpgradeStatus) -> Rollout {
    let UpgradeStatus { from, to, phase, .. } = upgrade.clone();
    let forward = Migration { is_back: false, by: to.clone(), to: to.clone() };
    let back = Migration { is_back: true, by: to.clone(), to: from.clone() };
    let are_held = facts.writes != Writes::Open;
    let hold = (facts.writes != Writes::Unknown).then_some(WriteControl::Hold);
    let mut rollout = Rollout { upgrade: Some(upgrade), ..Rollout::settled(&to) };
    match phase {
        Phase::Followers => rollout.partition = 1,
        Phase::Migrating => {
            rollout.partition = 1;
            rollout.control = hold;
            // One Job at a time: another one is deleted first. The Job stays once it exists, even if writes are released
            // meanwhile.
            let is_alone = are_held && facts.migration_back == JobState::Absent;
            if is_alone || facts.migration != JobState::Absent {
                rollout.migrations.push(forward);
            }
        }
        // The Job stays until the end, as the proof that the data are migrated.
        Phase::Writer | Phase::Watching => rollout.migrations.push(forward),
        Phase::ReturningData => {
            // No instance is replaced now.
            rollout.partition = 1;
            rollout.control = hold;
            // The status must record that the data may be migrated before the Job that proves it is deleted.
            let is_in_status =
                facts.upgrade.as_ref().is_some_and(|known| known.phase == Phase::ReturningData);
            let is_alone = are_held && facts.migration == JobState::Absent;
            if !is_in_status && facts.migration != JobState::Absent {
                rollout.migrations.push(forward);
            } else if is_alone || facts.migration_back != JobState::Absent {
                rollout.migrations.push(back);
            }
            if let JobState::Failed(why) = &facts.migration_back {
                rollout.stuck = Some(format!("the data cannot be migrated back to {from}: {why}"));
            }
        }
        Phase::ReturningInstances => {
            rollout.version = from;
            rollout.control = (facts.writes == Writes::Held).then_some(WriteControl::Release);
            // Until the status records what a Job did, the Job is the proof, and stays.
            let kept = [(&facts.migration, forward), (&facts.migration_back, back)];
            let kept = kept.into_iter().filter(|(state, _)| **state != JobState::Absent);
            rollout.migrations.extend(kept.map(|(_, migration)| migration));
        }
    }
    rollout
}

impl UpgradeFacts {
    /// Whether all instances except the first exist and serve a version.
    fn followers_serve(&self, version: &str) -> bool {
        let mut followers = (1..self.replicas)
            .map(|ordinal| self.instances.iter().find(|instance| instance.ordinal == ordinal));
        followers.all(|instance| instance.is_some_and(|instance| instance.serves(version)))
    }

    /// Whether as many instances as are wanted serve a version, and none runs another.
    fn all_serve(&self, version: &str) -> bool {
        let serving = self.instances.iter().filter(|instance| instance.serves(version)).count();
        let is_other = |instance: &AppInstance| instance.version.as_deref() != Some(version);
        i32::try_from(serving).is_ok_and(|serving| serving >= self.replicas)
            && !self.instances.iter().any(is_other)
    }
}
