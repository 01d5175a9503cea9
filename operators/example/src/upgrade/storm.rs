//! Upgrades in a world that goes wrong in every way it can: instances die, passes are forgotten, Jobs are killed in the
//! middle, users change their minds. When it calms down, one version runs, on data of that version.

use k8s_openapi::jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

use super::*;

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
enum Occurrence {
    /// The operator looks and acts; whether its status arrives is another matter.
    Pass { remembered: bool },
    /// The set replaces an instance that it may replace.
    Replace,
    /// An instance gets as ready as it can.
    GetReady(u32),
    /// An instance dies and is made anew.
    Die(u32),
    /// A Job comes to its end.
    JobEnds,
    /// What is left of a Job that is not wanted any more is gone.
    JobGone,
    /// Time passes.
    Wait(u8),
    /// Writes that were held pass by themselves.
    HoldExpires,
    /// The user wants the old version after all, or the new one again.
    ChangeMind,
}

struct World {
    flaw: Flaw,
    replicas: u32,
    data: &'static str,
    template: String,
    partition: i32,
    instances: Vec<Instance>,
    gate: Gate,
    migration: JobState,
    way_back: JobState,
    /// Jobs that are on their way out: the one that migrates, the one that takes back.
    leaving: [bool; 2],
    /// Whether the one that migrates still works meanwhile.
    works: bool,
    current: String,
    wanted: String,
    upgrade: Option<UpgradeStatus>,
    failed: Option<FailedUpgrade>,
    now: Timestamp,
}

fn instance(number: u32, version: &str) -> Instance {
    Instance {
        number,
        version: Some(version.into()),
        ready: false,
        broken: None,
        leaving: false,
        created: None,
    }
}

impl World {
    fn new(flaw: Flaw, replicas: u32) -> Self {
        let ready = |number| Instance { ready: true, ..instance(number, OLD) };
        Self {
            flaw,
            replicas,
            data: OLD,
            template: OLD.into(),
            partition: 0,
            instances: (0..replicas).map(ready).collect(),
            gate: Gate::Open,
            migration: JobState::Absent,
            way_back: JobState::Absent,
            leaving: [false; 2],
            works: false,
            current: OLD.into(),
            wanted: NEW.into(),
            upgrade: None,
            failed: None,
            now: Timestamp::UNIX_EPOCH,
        }
    }

    fn facts(&self) -> Facts {
        let asked = self.upgrade.as_ref().is_some_and(|upgrade| {
            matches!(
                upgrade.phase,
                UpgradePhase::Migrating | UpgradePhase::ReturningData | UpgradePhase::ReturningInstances
            )
        });
        // As `validate` has it: nothing goes back behind the version that an upgrade began with.
        let in_use = self.upgrade.as_ref().map_or(&self.current, |upgrade| &upgrade.from);
        let wanted = if *in_use == NEW { NEW } else { &self.wanted };
        Facts {
            current: Some(self.current.clone()),
            wanted: wanted.into(),
            image: None,
            replicas: self.replicas,
            instances: self.instances.clone(),
            upgrade: self.upgrade.clone(),
            failed: self.failed.clone(),
            gate: if asked { self.gate } else { Gate::Open },
            migration: self.migration.clone(),
            way_back: self.way_back.clone(),
            deadline: DEADLINE,
            pace: Pace::default(),
        }
    }

    fn pass(&mut self, remembered: bool) {
        let facts = self.facts();
        let course = course(&facts, self.now);
        self.template.clone_from(&course.version);
        self.partition = course.partition;
        for back in [false, true] {
            let wanted = course.errands.iter().any(|errand| errand.back == back);
            let job = if back { &mut self.way_back } else { &mut self.migration };
            match (wanted, &job) {
                (true, JobState::Absent) => *job = JobState::Running,
                // A Job that is on its way out shows as running, with its pods, until it is gone.
                (false, JobState::Running | JobState::Done | JobState::Failed(_)) => {
                    if !self.leaving[usize::from(back)] {
                        self.works = !back && *job == JobState::Running;
                    }
                    self.leaving[usize::from(back)] = true;
                    *job = JobState::Running;
                }
                (true, _) | (false, JobState::Absent) => {}
            }
        }
        assert!(
            self.migration != JobState::Running || self.way_back != JobState::Running,
            "two Jobs work on one volume"
        );
        match course.ask {
            Some(Ask::Hold) if self.gate == Gate::Open => self.gate = Gate::Held,
            Some(Ask::Release) if self.gate == Gate::Held => self.gate = Gate::Open,
            Some(_) | None => {}
        }
        if remembered {
            if let Some(serving) =
                self.instances.iter().find(|instance| instance.number == 0 && instance.ready)
            {
                self.current = serving.version.clone().unwrap();
            }
            self.upgrade.clone_from(&course.upgrade);
            match course.ended {
                Some(Ended::Back(failed)) => self.failed = Some(failed),
                Some(Ended::Well(_) | Ended::Superseded) => self.failed = None,
                None => {}
            }
        }
    }

    fn renew(&mut self, number: u32, version: &str) {
        let at = self.instances.iter().position(|instance| instance.number == number).unwrap();
        self.instances[at] = instance(number, version);
        if number == 0 {
            self.gate = Gate::Silent;
        }
    }

    fn happen(&mut self, occurrence: Occurrence) {
        match occurrence {
            Occurrence::Pass { remembered } => self.pass(remembered),
            Occurrence::Replace => {
                let may = |instance: &&Instance| {
                    i64::from(instance.number) >= i64::from(self.partition)
                        && instance.version.as_deref() != Some(&self.template)
                };
                if let Some(next) = self.instances.iter().rev().find(may).map(|instance| instance.number) {
                    let template = self.template.clone();
                    assert!(
                        next > 0 || template == self.data,
                        "instance 0 gets {template} on data of {}",
                        self.data
                    );
                    self.renew(next, &template);
                }
            }
            Occurrence::GetReady(number) => self.get_ready(number % self.replicas),
            Occurrence::Die(number) => {
                let number = number % self.replicas;
                let held_back = i64::from(number) < i64::from(self.partition);
                let version = if held_back { OLD.into() } else { self.template.clone() };
                self.renew(number, &version);
            }
            Occurrence::JobEnds => self.job_ends(),
            Occurrence::JobGone => self.job_gone(),
            Occurrence::Wait(seconds) => self.now += SignedDuration::from_secs(seconds.into()),
            Occurrence::HoldExpires => {
                if self.gate == Gate::Held
                    && self.migration != JobState::Running
                    && self.way_back != JobState::Running
                {
                    self.gate = Gate::Open;
                }
            }
            Occurrence::ChangeMind => {
                self.wanted = if self.wanted == OLD { NEW.into() } else { OLD.into() };
            }
        }
    }

    fn get_ready(&mut self, number: u32) {
        let (flaw, data) = (self.flaw, self.data);
        let instance = self.instances.iter_mut().find(|instance| instance.number == number).unwrap();
        let version = instance.version.clone().unwrap();
        let fits = number > 0 || version == data;
        let flawed = version == NEW && matches!(flaw, Flaw::NeverReady | Flaw::Crashes);
        instance.ready = fits && !flawed;
        if (flawed && flaw == Flaw::Crashes) || !fits {
            instance.broken = Some(format!("instance {number} of {version} crashes on data of {data}"));
        }
        let answers = fits && !(flawed && flaw == Flaw::Crashes);
        if number == 0 && self.gate == Gate::Silent && answers {
            self.gate = Gate::Open;
        }
    }

    fn job_gone(&mut self) {
        for (job, leaving) in [&mut self.migration, &mut self.way_back].into_iter().zip(&mut self.leaving) {
            if std::mem::take(leaving) {
                *job = JobState::Absent;
            }
        }
    }

    fn job_ends(&mut self) {
        if self.leaving[0] {
            // It may still do its work on its way out.
            if self.works && self.flaw != Flaw::MigrationFails && self.gate != Gate::Open {
                self.data = NEW;
            }
        } else if self.migration == JobState::Running {
            if self.flaw == Flaw::MigrationFails {
                self.migration = JobState::Failed("as always".into());
            } else if self.gate == Gate::Open {
                self.migration = JobState::Failed("the data are in use".into());
            } else {
                (self.migration, self.data) = (JobState::Done, NEW);
            }
        } else if self.way_back == JobState::Running && !self.leaving[1] {
            if self.gate == Gate::Open {
                // Refused, as the lock of the data is with the server; the user or a new Job tries again.
                self.way_back = JobState::Absent;
            } else {
                (self.way_back, self.data) = (JobState::Done, OLD);
            }
        }
    }

    /// Everything goes on as it should, for long enough.
    fn calm_down(&mut self) {
        for _ in 0..200 {
            self.pass(true);
            self.happen(Occurrence::Replace);
            for number in 0..self.replicas {
                self.get_ready(number);
            }
            self.job_gone();
            self.job_ends();
            if self.upgrade.is_none() {
                // Asked for by a pass that was forgotten: it ends by itself.
                self.happen(Occurrence::HoldExpires);
            }
            self.now += SignedDuration::from_secs(2);
        }
    }
}

fn occurrences() -> impl Strategy<Value = Vec<Occurrence>> {
    let occurrence = prop_oneof![
        6 => any::<bool>().prop_map(|remembered| Occurrence::Pass { remembered }),
        3 => Just(Occurrence::Replace),
        3 => (0u32..3).prop_map(Occurrence::GetReady),
        1 => (0u32..3).prop_map(Occurrence::Die),
        3 => Just(Occurrence::JobEnds),
        2 => Just(Occurrence::JobGone),
        2 => (0u8..20).prop_map(Occurrence::Wait),
        1 => Just(Occurrence::HoldExpires),
        1 => Just(Occurrence::ChangeMind),
    ];
    prop::collection::vec(occurrence, 0..80)
}

#[test]
fn in_a_calm_world_an_upgrade_succeeds_and_a_flawed_one_returns() {
    for replicas in 1..4 {
        for flaw in [Flaw::None, Flaw::NeverReady, Flaw::Crashes, Flaw::MigrationFails] {
            let mut world = World::new(flaw, replicas);
            world.calm_down();
            let expected = if flaw == Flaw::None { (NEW, None) } else { (OLD, Some(NEW)) };
            let failed = world.failed.as_ref().map(|failed| failed.version.as_str());
            assert_eq!((world.data, failed), expected, "{flaw:?} with {replicas}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn when_it_calms_down_one_version_runs_on_its_own_data(
        flaw in prop_oneof![Just(Flaw::None), Just(Flaw::NeverReady), Just(Flaw::Crashes), Just(Flaw::MigrationFails)],
        replicas in 1u32..4,
        occurrences in occurrences(),
    ) {
        let mut world = World::new(flaw, replicas);
        for occurrence in occurrences {
            world.happen(occurrence);
        }
        world.calm_down();
        let versions: Vec<&str> = world.instances.iter().filter_map(|instance| instance.version.as_deref()).collect();
        prop_assert!(world.instances.iter().all(|instance| instance.ready), "{:?} {:?}", world.instances, world.upgrade);
        prop_assert!(versions.iter().all(|version| *version == world.data), "{versions:?} on {}", world.data);
        prop_assert_eq!(&world.upgrade, &None);
        prop_assert_eq!(&world.current, world.data);
        prop_assert_eq!(world.gate, Gate::Open);
        if flaw != Flaw::None {
            prop_assert_eq!(world.data, OLD);
        } else if world.wanted == NEW && world.failed.is_none() {
            prop_assert_eq!(world.data, NEW);
        }
    }
}
