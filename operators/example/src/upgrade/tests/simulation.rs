//! Upgrades with failures: instances crash, statuses are not written, Jobs are deleted while they run, users change the
//! wanted version. When the failures end, one version runs, on data of that version.

use capability::health::{PodFailure, PodHealth};
use k8s_openapi::jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

use super::super::*;

const OLD: &str = "0.0.1";
const NEW: &str = "0.0.2";
const DEADLINE: i64 = 30;

/// What is wrong with the new version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flaw {
    None,
    NeverReady,
    Crashes,
    MigrationFails,
}

/// What happens.
#[derive(Debug, Clone, Copy)]
enum Event {
    /// A pass of the operator, whose status may not be written.
    Pass { is_reported: bool },
    /// The StatefulSet replaces an instance that it may replace.
    Replace,
    /// An instance becomes ready, if it can.
    BecomeReady(i32),
    /// An instance crashes and is created again.
    Crash(i32),
    /// A Job ends.
    JobEnds,
    /// A Job that is being deleted no longer exists.
    JobDeleted,
    /// Time passes.
    Wait(u8),
    /// Held writes are released by the timeout.
    HoldExpires,
    /// The user wants the old version again, or the new one.
    ChangeVersion,
}

struct World {
    flaw: Flaw,
    replicas: i32,
    data: &'static str,
    template: String,
    partition: i32,
    instances: Vec<AppInstance>,
    writes: Writes,
    migration: JobState,
    migration_back: JobState,
    /// Jobs that are being deleted: the one that migrates, the one that migrates back.
    deleting: [bool; 2],
    /// Whether the Job that migrates still runs while it is being deleted.
    works: bool,
    current: String,
    wanted: String,
    upgrade: Option<UpgradeStatus>,
    failed: Option<FailedUpgrade>,
    now: Timestamp,
}

fn instance(ordinal: i32, version: &str) -> AppInstance {
    AppInstance { ordinal, version: Some(version.into()), health: PodHealth::default() }
}

impl World {
    fn new(flaw: Flaw, replicas: i32) -> Self {
        let ready = |ordinal| {
            let health = PodHealth { is_ready: true, ..PodHealth::default() };
            AppInstance { health, ..instance(ordinal, OLD) }
        };
        Self {
            flaw,
            replicas,
            data: OLD,
            template: OLD.into(),
            partition: 0,
            instances: (0..replicas).map(ready).collect(),
            writes: Writes::Open,
            migration: JobState::Absent,
            migration_back: JobState::Absent,
            deleting: [false; 2],
            works: false,
            current: OLD.into(),
            wanted: NEW.into(),
            upgrade: None,
            failed: None,
            now: Timestamp::UNIX_EPOCH,
        }
    }

    fn facts(&self) -> UpgradeFacts {
        let closes_writes = self.upgrade.as_ref().is_some_and(|upgrade| {
            matches!(upgrade.phase, Phase::Migrating | Phase::ReturningData | Phase::ReturningInstances)
        });
        // As in `validate`: there is no downgrade below the version that an upgrade started with.
        let in_use = self.upgrade.as_ref().map_or(&self.current, |upgrade| &upgrade.from);
        let wanted = if *in_use == NEW { NEW } else { &self.wanted };
        UpgradeFacts {
            current: Some(self.current.clone()),
            wanted: wanted.into(),
            image: None,
            replicas: self.replicas,
            instances: self.instances.clone(),
            upgrade: self.upgrade.clone(),
            failed: self.failed.clone(),
            writes: if closes_writes { self.writes } else { Writes::Open },
            migration: self.migration.clone(),
            migration_back: self.migration_back.clone(),
            deadline: DEADLINE,
            timing: Timing::default(),
        }
    }

    fn pass(&mut self, is_reported: bool) {
        let facts = self.facts();
        let rollout = next(&facts, self.now);
        self.template.clone_from(&rollout.version);
        self.partition = rollout.partition;
        for back in [false, true] {
            let wanted = rollout.migrations.iter().any(|migration| migration.is_back == back);
            let job = if back { &mut self.migration_back } else { &mut self.migration };
            match (wanted, &job) {
                (true, JobState::Absent) => *job = JobState::Running,
                // A Job that is being deleted shows as running, with its pods, until it is gone.
                (false, JobState::Running | JobState::Done | JobState::Failed(_)) => {
                    if !self.deleting[usize::from(back)] {
                        self.works = !back && *job == JobState::Running;
                    }
                    self.deleting[usize::from(back)] = true;
                    *job = JobState::Running;
                }
                (true, _) | (false, JobState::Absent) => {}
            }
        }
        assert!(
            self.migration != JobState::Running || self.migration_back != JobState::Running,
            "two Jobs work on one volume"
        );
        match rollout.control {
            Some(WriteControl::Hold) if self.writes == Writes::Open => self.writes = Writes::Held,
            Some(WriteControl::Release) if self.writes == Writes::Held => self.writes = Writes::Open,
            Some(_) | None => {}
        }
        if is_reported {
            if let Some(serving) =
                self.instances.iter().find(|instance| instance.ordinal == 0 && instance.health.is_ready)
            {
                self.current = serving.version.clone().unwrap();
            }
            self.upgrade.clone_from(&rollout.upgrade);
            match rollout.ended {
                Some(Ended::RolledBack(failed)) => self.failed = Some(failed),
                Some(Ended::Succeeded(_) | Ended::Superseded) => self.failed = None,
                None => {}
            }
        }
    }

    fn renew(&mut self, ordinal: i32, version: &str) {
        let at = self.instances.iter().position(|instance| instance.ordinal == ordinal).unwrap();
        self.instances[at] = instance(ordinal, version);
        if ordinal == 0 {
            self.writes = Writes::Unknown;
        }
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Pass { is_reported } => self.pass(is_reported),
            Event::Replace => {
                let may = |instance: &&AppInstance| {
                    instance.ordinal >= self.partition && instance.version.as_deref() != Some(&self.template)
                };
                if let Some(next) = self.instances.iter().rev().find(may).map(|instance| instance.ordinal) {
                    let template = self.template.clone();
                    assert!(
                        next > 0 || template == self.data,
                        "instance 0 gets {template} on data of {}",
                        self.data
                    );
                    self.renew(next, &template);
                }
            }
            Event::BecomeReady(ordinal) => self.become_ready(ordinal % self.replicas),
            Event::Crash(ordinal) => {
                let ordinal = ordinal % self.replicas;
                let held_back = ordinal < self.partition;
                let version = if held_back { OLD.into() } else { self.template.clone() };
                self.renew(ordinal, &version);
            }
            Event::JobEnds => self.job_ends(),
            Event::JobDeleted => self.job_deleted(),
            Event::Wait(seconds) => self.now += SignedDuration::from_secs(seconds.into()),
            Event::HoldExpires => {
                if self.writes == Writes::Held
                    && self.migration != JobState::Running
                    && self.migration_back != JobState::Running
                {
                    self.writes = Writes::Open;
                }
            }
            Event::ChangeVersion => {
                self.wanted = if self.wanted == OLD { NEW.into() } else { OLD.into() };
            }
        }
    }

    fn become_ready(&mut self, ordinal: i32) {
        let (flaw, data) = (self.flaw, self.data);
        let instance = self.instances.iter_mut().find(|instance| instance.ordinal == ordinal).unwrap();
        let version = instance.version.clone().unwrap();
        let fits = ordinal > 0 || version == data;
        let flawed = version == NEW && matches!(flaw, Flaw::NeverReady | Flaw::Crashes);
        instance.health.is_ready = fits && !flawed;
        if (flawed && flaw == Flaw::Crashes) || !fits {
            let message = format!("instance {ordinal} of {version} crashes on data of {data}");
            let failure = PodFailure { reason: "CrashLoopBackOff".into(), restarts: 2, message };
            instance.health.failure = Some(failure);
        }
        let answers = fits && !(flawed && flaw == Flaw::Crashes);
        if ordinal == 0 && self.writes == Writes::Unknown && answers {
            self.writes = Writes::Open;
        }
    }

    fn job_deleted(&mut self) {
        for (job, deleting) in
            [&mut self.migration, &mut self.migration_back].into_iter().zip(&mut self.deleting)
        {
            if std::mem::take(deleting) {
                *job = JobState::Absent;
            }
        }
    }

    fn job_ends(&mut self) {
        if self.deleting[0] {
            // It may still succeed.
            if self.works && self.flaw != Flaw::MigrationFails && self.writes != Writes::Open {
                self.data = NEW;
            }
        } else if self.migration == JobState::Running {
            if self.flaw == Flaw::MigrationFails {
                self.migration = JobState::Failed("as always".into());
            } else if self.writes == Writes::Open {
                self.migration = JobState::Failed("the data are in use".into());
            } else {
                (self.migration, self.data) = (JobState::Done, NEW);
            }
        } else if self.migration_back == JobState::Running && !self.deleting[1] {
            if self.writes == Writes::Open {
                // The data are locked by the server: the Job fails, and a new one tries again.
                self.migration_back = JobState::Absent;
            } else {
                (self.migration_back, self.data) = (JobState::Done, OLD);
            }
        }
    }

    /// Runs passes without failures until nothing changes.
    fn settle(&mut self) {
        for _ in 0..200 {
            self.pass(true);
            self.happen(Event::Replace);
            for ordinal in 0..self.replicas {
                self.become_ready(ordinal);
            }
            self.job_deleted();
            self.job_ends();
            if self.upgrade.is_none() {
                // A pass whose status was not written may have held writes: the timeout releases them.
                self.happen(Event::HoldExpires);
            }
            self.now += SignedDuration::from_secs(2);
        }
    }
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let event = prop_oneof![
        6 => any::<bool>().prop_map(|is_reported| Event::Pass { is_reported }),
        3 => Just(Event::Replace),
        3 => (0i32..3).prop_map(Event::BecomeReady),
        1 => (0i32..3).prop_map(Event::Crash),
        3 => Just(Event::JobEnds),
        2 => Just(Event::JobDeleted),
        2 => (0u8..20).prop_map(Event::Wait),
        1 => Just(Event::HoldExpires),
        1 => Just(Event::ChangeVersion),
    ];
    prop::collection::vec(event, 0..80)
}

#[test]
fn without_failures_an_upgrade_succeeds_and_a_flawed_one_returns() {
    for replicas in 1..4 {
        for flaw in [Flaw::None, Flaw::NeverReady, Flaw::Crashes, Flaw::MigrationFails] {
            let mut world = World::new(flaw, replicas);
            world.settle();
            let expected = if flaw == Flaw::None { (NEW, None) } else { (OLD, Some(NEW)) };
            let failed = world.failed.as_ref().map(|failed| failed.version.as_str());
            assert_eq!((world.data, failed), expected, "{flaw:?} with {replicas}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn when_failures_end_one_version_runs_on_its_own_data(
        flaw in prop_oneof![Just(Flaw::None), Just(Flaw::NeverReady), Just(Flaw::Crashes), Just(Flaw::MigrationFails)],
        replicas in 1i32..4,
        events in events(),
    ) {
        let mut world = World::new(flaw, replicas);
        for event in events {
            world.happen(event);
        }
        world.settle();
        let versions: Vec<&str> = world.instances.iter().filter_map(|instance| instance.version.as_deref()).collect();
        prop_assert!(world.instances.iter().all(|instance| instance.health.is_ready), "{:?} {:?}", world.instances, world.upgrade);
        prop_assert!(versions.iter().all(|version| *version == world.data), "{versions:?} on {}", world.data);
        prop_assert_eq!(&world.upgrade, &None);
        prop_assert_eq!(&world.current, world.data);
        prop_assert_eq!(world.writes, Writes::Open);
        if flaw != Flaw::None {
            prop_assert_eq!(world.data, OLD);
        } else if world.wanted == NEW && world.failed.is_none() {
            prop_assert_eq!(world.data, NEW);
        }
    }
}
