//! Plays a scenario with one thing going wrong, and says what was wrong at the end.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use kernel::call::Verb;
use kernel::faults::{Calls, Fault, Hits, Rule};
use lab::clock::Stopwatch;

use crate::oracle;
use crate::plan::{Perturbation, Plan};
use crate::reference::{Reference, Run};
use crate::scenario::{Scenario, Subject};
use crate::stage::Stage;
use crate::state::State;
use crate::world::World;

/// How long an end that is not the right one is looked at. The right one costs nothing of it.
const PATIENCE: Duration = Duration::from_secs(30);

/// How a plan went.
#[derive(Debug, Default)]
pub struct Verdict {
    /// What was wrong.
    pub wrong: Vec<String>,
    /// What the operator asked, for people.
    pub trace: String,
    /// Why the disturbance did not take place, if it did not.
    pub spared: Option<&'static str>,
}

/// Everything that a plan needs.
pub struct Cast<'a> {
    /// Where.
    pub world: &'a World,
    /// Whose operator.
    pub subject: &'a Subject,
    /// Which scenario.
    pub scenario: &'a Scenario,
    /// What it does when nothing goes wrong.
    pub reference: &'a Reference,
}

/// Plays one plan.
pub async fn play(cast: &Cast<'_>, plan: &Plan) -> Verdict {
    let mut verdict = Verdict::default();
    let stage = match Stage::open(cast.world, cast.subject).await {
        Ok(stage) => stage,
        Err(error) => {
            verdict.wrong.push(format!("cannot begin: {error:#}"));
            return verdict;
        }
    };
    let mut player = Player { cast, stage, starts: Vec::new(), verdict };
    if let Err(error) = player.play(&plan.perturbation).await {
        player.verdict.wrong.push(format!("{error:#}"));
    }
    let Player { stage, mut verdict, .. } = player;
    verdict.trace = stage.script.trace().describe();
    verdict
}

/// A plan being played.
pub(crate) struct Player<'a> {
    pub(crate) cast: &'a Cast<'a>,
    pub(crate) stage: Stage<'a>,
    pub(crate) starts: Vec<usize>,
    pub(crate) verdict: Verdict,
}

impl Player<'_> {
    async fn play(&mut self, perturbation: &Perturbation) -> Result<()> {
        let mut end = State::default();
        for (at, change) in self.cast.scenario.changes.iter().enumerate() {
            self.starts.push(self.stage.script.requests());
            let here = perturbation.change() == Some(at);
            if here {
                self.before(perturbation).await?;
            }
            self.stage.perform(&change.deed).await.with_context(|| format!("`{}`", change.name))?;
            if here {
                self.meanwhile(perturbation).await?;
            }
            end = self.stage.settle(change.done).await.with_context(|| format!("`{}`", change.name))?;
            self.stage.script.clear();
        }
        match perturbation {
            Perturbation::Idle => self.idle().await?,
            Perturbation::Stale { kind, moment } => end = self.stale(kind.as_deref(), *moment).await?,
            Perturbation::Drift(drift) => end = self.drift(drift, &end).await?,
            Perturbation::Property(property) => return self.property(property, &end).await,
            Perturbation::Fault(..)
            | Perturbation::Denied { .. }
            | Perturbation::Blocked { .. }
            | Perturbation::Held { .. }
            | Perturbation::Cut { .. }
            | Perturbation::Outside { .. }
            | Perturbation::Absent { .. } => {}
        }
        if !matches!(perturbation, Perturbation::Drift(_)) {
            end = self.patiently(end, |_| ()).await?;
        }
        let trace = self.stage.script.trace();
        if matches!(perturbation, Perturbation::Fault(..))
            && trace.0.iter().all(|entry| entry.fault.is_none())
        {
            self.verdict.spared = Some("that write did not happen");
        }
        let run = Run {
            namespace: self.stage.namespace.clone(),
            trace,
            starts: self.starts.clone(),
            outside: Vec::new(),
            end,
        };
        let Cast { subject, scenario, reference, .. } = self.cast;
        self.verdict.wrong.extend(oracle::judge(subject, scenario, reference, &run, perturbation));
        Ok(())
    }

    /// The end, looked at again if it is not the one that it should be: where the machine is busy, news may take longer than
    /// an operator must be silent. `trim` takes off what is not compared.
    pub(crate) async fn patiently(
        &mut self,
        mut end: State,
        mut trim: impl FnMut(&mut State),
    ) -> Result<State> {
        let Cast { subject, reference, .. } = self.cast;
        let watch = Stopwatch::start();
        loop {
            trim(&mut end);
            let found = end.leaves(&self.stage.namespace);
            let is_same = reference.mask.differences(&reference.leaves, &found, subject.ignored).is_empty();
            if is_same || watch.elapsed() > PATIENCE {
                return Ok(end);
            }
            self.stage.silent().await?;
            end = self.stage.look().await?;
        }
    }

    /// What goes wrong before a change is made.
    async fn before(&mut self, perturbation: &Perturbation) -> Result<()> {
        let script = self.stage.script.clone();
        match perturbation {
            Perturbation::Fault(spot, fault) => script.add(spot.rule(fault.clone())),
            Perturbation::Denied { kind, refusal, .. } => {
                let kind = kind.clone();
                let calls = Calls::matching(move |call| call.is_write() && call.kind() == kind);
                script.add(Rule { calls, hits: Hits::Every, fault: Fault::Refused(*refusal) });
            }
            Perturbation::Blocked { kind, fault, .. } => {
                self.stage.kill();
                let calls = Calls::Of(Verb::Watch, kind.clone());
                script.add(Rule { calls, hits: Hits::Nth(1), fault: fault.clone() });
                self.stage.start()?;
            }
            Perturbation::Held { kind, .. } => {
                self.stage.silent().await?;
                script.hold(kind);
            }
            Perturbation::Cut { kind, how, .. } => {
                self.stage.silent().await?;
                script.cut(Some(kind), *how);
            }
            Perturbation::Outside { nth, mishap, .. } => {
                self.cast.world.instances.disturb(&self.stage.namespace, *nth, *mishap);
            }
            Perturbation::Absent { .. } => self.stage.stop().await,
            Perturbation::Idle
            | Perturbation::Stale { .. }
            | Perturbation::Drift(_)
            | Perturbation::Property(_) => {}
        }
        Ok(())
    }

    /// What happens while the operator works on a change.
    async fn meanwhile(&mut self, perturbation: &Perturbation) -> Result<()> {
        let script = self.stage.script.clone();
        match perturbation {
            Perturbation::Denied { kind, .. } => {
                self.told().await.with_context(|| format!("writes of {kind} are refused"))?;
                script.clear();
            }
            Perturbation::Held { kind, expired, .. } => {
                self.stage.silent_if_it_can().await;
                if *expired {
                    script.release_as_expired(kind);
                } else {
                    script.release(kind);
                }
            }
            Perturbation::Absent { .. } => self.stage.start()?,
            Perturbation::Fault(..)
            | Perturbation::Blocked { .. }
            | Perturbation::Cut { .. }
            | Perturbation::Outside { .. }
            | Perturbation::Idle
            | Perturbation::Stale { .. }
            | Perturbation::Drift(_)
            | Perturbation::Property(_) => {}
        }
        Ok(())
    }

    /// Waits until the status says that something cannot be done.
    async fn told(&mut self) -> Result<()> {
        let (subject, limit) = (self.cast.subject, Duration::from_secs(20));
        let stage = &self.stage;
        let told = lab::clock::wait_for(limit, || async {
            let state = stage.look().await.ok()?;
            subject.resource_in(&state).is_some_and(subject.shows_trouble).then_some(())
        });
        if told.await.is_none() {
            bail!("the status does not say so after {limit:?}");
        }
        Ok(())
    }
}
