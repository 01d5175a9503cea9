//! Runs plans: a scenario with one perturbation. Checks the result.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::{Context, Result};
use lab::clock::Stopwatch;

use crate::cluster::TestCluster;
use crate::evidence::{Evidence, without_effect};
use crate::oracle;
use crate::plan::{Perturbation, Plan};
use crate::pods::Effect;
use crate::reference::{Reference, Run};
use crate::scenario::{Scenario, Subject, kind_name};
use crate::state::State;
use crate::testbed::Testbed;

/// How long an unexpected result is checked again.
const PATIENCE: Duration = Duration::from_secs(30);

/// The result of a plan.
#[derive(Debug, Default)]
pub struct PlanResult {
    /// What is wrong.
    pub wrong: Vec<String>,
    /// The requests of the operator, as text.
    pub trace: String,
    /// Why the perturbation had no effect, if it had none. Then the plan shows nothing.
    pub without_effect: Option<String>,
    /// The number of requests of the kind that was to fail, during its change.
    pub matching: u64,
}

impl PlanResult {
    /// The plan that runs instead of one without effect. How often a status is written depends on timing: if there was no
    /// sixth write, the fifth one fails.
    pub fn replacement(&self, plan: &Plan) -> Plan {
        let mut plan = plan.clone();
        if let Perturbation::Fault(point, _) = &mut plan.perturbation {
            point.nth = point.nth.min(self.matching.max(1));
        }
        plan
    }

    /// Whether the perturbation took effect and nothing was wrong.
    pub fn is_good(&self) -> bool {
        self.wrong.is_empty() && self.without_effect.is_none()
    }
}

/// What a plan runs with.
pub struct PlanSetup<'a> {
    /// The cluster.
    pub cluster: &'a TestCluster,
    /// The kind under test.
    pub subject: &'a Subject,
    /// The scenario.
    pub scenario: &'a Scenario,
    /// The reference of the scenario.
    pub reference: &'a Reference,
}

/// Runs one plan.
pub async fn run_plan(setup: &PlanSetup<'_>, plan: &Plan) -> PlanResult {
    let mut result = PlanResult::default();
    let testbed = match Testbed::open(setup.cluster, setup.subject).await {
        Ok(testbed) => testbed,
        Err(error) => {
            result.wrong.push(format!("cannot start: {error:#}"));
            return result;
        }
    };
    let (evidence, effect) = (Evidence::default(), Effect::default());
    let mut runner =
        PlanRunner { setup, testbed, starts: Vec::new(), result, evidence, effect, held: BTreeSet::new() };
    let outcome = runner.run(&plan.perturbation).await;
    let PlanRunner { testbed, mut result, evidence, starts, .. } = runner;
    let trace = testbed.script.trace();
    if let Perturbation::Fault(point, _) = &plan.perturbation {
        result.matching = point.matching(&trace, &starts);
    }
    result.trace = trace.describe();
    if let Err(error) = outcome {
        // A run that failed may not have reached the perturbation.
        result.wrong.push(format!("{error:#}"));
    } else {
        let primary = kind_name(setup.subject.declaration.primary);
        result.without_effect = without_effect(&plan.perturbation, &evidence, &trace, &primary);
    }
    result
}

/// A running plan.
pub(crate) struct PlanRunner<'a> {
    pub(crate) setup: &'a PlanSetup<'a>,
    pub(crate) testbed: Testbed<'a>,
    pub(crate) starts: Vec<usize>,
    pub(crate) result: PlanResult,
    pub(crate) evidence: Evidence,
    pub(crate) effect: Effect,
    /// The objects of the kind with delayed events, as they were when the delay started.
    pub(crate) held: BTreeSet<(String, String)>,
}

impl PlanRunner<'_> {
    async fn run(&mut self, perturbation: &Perturbation) -> Result<()> {
        let mut end = State::default();
        for (at, change) in self.setup.scenario.changes.iter().enumerate() {
            self.starts.push(self.testbed.script.requests());
            let is_disturbed = perturbation.change() == Some(at);
            if is_disturbed {
                self.before(perturbation).await?;
            }
            self.testbed.perform(&change.action).await.with_context(|| format!("`{}`", change.name))?;
            if is_disturbed {
                self.meanwhile(perturbation).await?;
            }
            end = self.testbed.settle(change.done).await.with_context(|| format!("`{}`", change.name))?;
            if is_disturbed {
                self.after(perturbation).await;
            }
            self.testbed.script.clear();
        }
        match perturbation {
            Perturbation::Idle => self.idle().await?,
            Perturbation::Stale { kind, shown } => end = self.stale(kind.as_deref(), *shown).await?,
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
            end = self.expected_end(end, |_| ()).await?;
        }
        let trace = self.testbed.script.trace();
        let run = Run {
            namespace: self.testbed.namespace.clone(),
            trace,
            starts: self.starts.clone(),
            outside: Vec::new(),
            changed: Vec::new(),
            pods: self.testbed.pods().await?,
            effect: std::mem::take(&mut self.effect),
            drifts: Vec::new(),
            end,
        };
        let PlanSetup { subject, scenario, reference, .. } = self.setup;
        self.result.wrong.extend(oracle::check(subject, scenario, reference, &run, perturbation));
        Ok(())
    }

    /// Checks the result again while it is not the expected one: on a busy machine, an event may arrive after the operator
    /// has already been silent. `trim` removes what is not compared.
    pub(crate) async fn expected_end(
        &mut self,
        mut end: State,
        mut trim: impl FnMut(&mut State),
    ) -> Result<State> {
        let PlanSetup { subject, reference, .. } = self.setup;
        let watch = Stopwatch::start();
        loop {
            trim(&mut end);
            let found = end.leaves(&self.testbed.namespace);
            let is_same = reference.mask.differences(&reference.leaves, &found, subject.ignored).is_empty();
            if is_same || watch.elapsed() > PATIENCE {
                return Ok(end);
            }
            self.testbed.silent().await?;
            end = self.testbed.look().await?;
        }
    }
}
