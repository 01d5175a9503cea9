//! Plays a scenario with one thing going wrong, and says what was wrong at the end.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::{Context, Result};
use lab::clock::Stopwatch;

use crate::oracle;
use crate::plan::{Perturbation, Plan};
use crate::pods::Effect;
use crate::reference::{Reference, Run};
use crate::scenario::{Scenario, Subject, kind_name};
use crate::stage::Stage;
use crate::state::State;
use crate::strike::{Evidence, missed};
use crate::world::World;

/// How long a result that is not the expected one is checked again. The expected one costs nothing of it.
const PATIENCE: Duration = Duration::from_secs(30);

/// How a plan went.
#[derive(Debug, Default)]
pub struct PlanResult {
    /// What was wrong.
    pub wrong: Vec<String>,
    /// What the operator asked, for people.
    pub trace: String,
    /// Why the perturbation had no effect, if it had none: then the plan has shown nothing.
    pub missed: Option<String>,
    /// How many requests there were of the kind that was to be disturbed, during its change.
    pub met: u64,
}

impl PlanResult {
    /// What runs instead of a plan without effect: how often a status is written depends on the time that things
    /// take, and where there is no sixth time the fifth is the last.
    pub fn instead(&self, plan: &Plan) -> Plan {
        let mut plan = plan.clone();
        if let Perturbation::Fault(spot, _) = &mut plan.perturbation {
            spot.nth = spot.nth.min(self.met.max(1));
        }
        plan
    }

    /// Whether the perturbation took effect and nothing was wrong.
    pub fn is_good(&self) -> bool {
        self.wrong.is_empty() && self.missed.is_none()
    }
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
pub async fn play(cast: &Cast<'_>, plan: &Plan) -> PlanResult {
    let mut result = PlanResult::default();
    let stage = match Stage::open(cast.world, cast.subject).await {
        Ok(stage) => stage,
        Err(error) => {
            result.wrong.push(format!("cannot begin: {error:#}"));
            return result;
        }
    };
    let (evidence, effect) = (Evidence::default(), Effect::default());
    let mut player =
        Player { cast, stage, starts: Vec::new(), result, evidence, effect, held: BTreeSet::new() };
    let played = player.play(&plan.perturbation).await;
    let Player { stage, mut result, evidence, starts, .. } = player;
    let trace = stage.script.trace();
    if let Perturbation::Fault(spot, _) = &plan.perturbation {
        result.met = spot.met(&trace, &starts);
    }
    result.trace = trace.describe();
    if let Err(error) = played {
        // What came to no end may not have come to the perturbation either.
        result.wrong.push(format!("{error:#}"));
    } else {
        let primary = kind_name(cast.subject.declaration.primary);
        result.missed = missed(&plan.perturbation, &evidence, &trace, &primary);
    }
    result
}

/// A plan being played.
pub(crate) struct Player<'a> {
    pub(crate) cast: &'a Cast<'a>,
    pub(crate) stage: Stage<'a>,
    pub(crate) starts: Vec<usize>,
    pub(crate) result: PlanResult,
    pub(crate) evidence: Evidence,
    pub(crate) effect: Effect,
    /// The objects of the kind whose events are held back, as they were when that began.
    pub(crate) held: BTreeSet<(String, String)>,
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
            if here {
                self.after(perturbation).await;
            }
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
        let run = Run {
            namespace: self.stage.namespace.clone(),
            trace,
            starts: self.starts.clone(),
            outside: Vec::new(),
            changed: Vec::new(),
            pods: self.stage.pods().await?,
            effect: std::mem::take(&mut self.effect),
            drifts: Vec::new(),
            end,
        };
        let Cast { subject, scenario, reference, .. } = self.cast;
        self.result.wrong.extend(oracle::judge(subject, scenario, reference, &run, perturbation));
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
}
