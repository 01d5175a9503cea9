//! The operator of the example application. Read it first: it is the pattern for other operators.
//!
//! A pass goes through the files in this order:
//!
//! | stage | file | pure |
//! |---|---|---|
//! | gather | [`gather`]: the existing objects; [`client`]: requests to an instance | no |
//! | validate | [`validate`]: what can be applied; [`version`]: which version follows which | yes |
//! | plan | [`plan`]: one file a child object; [`upgrade`]: the phases of an upgrade; [`adopt`]: an application that ran before | yes |
//! | apply | the kernel | no |
//! | observe | [`observe`]: the health of the application; [`instance`]: the state of an instance | yes |
//! | report | [`report`]: status and events | yes |

pub mod adopt;
pub mod client;
pub mod condition;
mod declaration;
pub mod gather;
pub mod instance;
pub mod names;
pub mod observe;
pub mod plan;
pub mod product;
pub mod render;
pub mod report;
pub mod upgrade;
pub mod validate;
pub mod version;

use api_example::{ExampleApp, UpgradePhase};
use k8s_openapi::jiff::Timestamp;
use kernel::declare::Declaration;
use kernel::flow::{Attempt, Cluster, Invalid, Observed, Operator, PassError, PassResult, Plan};
use kernel::report::Report;

pub use crate::product::PRODUCT;
pub use declaration::DECLARATION;

use client::Instances;
use gather::{Inputs, Writes};
use observe::Health;
use plan::{Course, Step};
use upgrade::{Timing, WriteControl};
use validate::Valid;

/// The operator of `ExampleApp`.
#[derive(Debug, Clone, Default)]
pub struct ExampleOperator {
    /// The client that asks instances.
    pub instances: Instances,
    /// How long an upgrade takes.
    pub timing: Timing,
}

/// What is remembered of an application from one pass to the next.
#[derive(Debug, Default)]
pub struct Memory {
    /// The last request to the first instance, and its time.
    requested: Option<(WriteControl, Timestamp)>,
}

impl Memory {
    /// Whether a request is due: a new one immediately, the same one again after a second if it had no effect, and in time
    /// to keep writes held.
    fn is_due(&self, control: WriteControl, writes: Writes, now: Timestamp) -> bool {
        let is_held = control == WriteControl::Hold && writes != Writes::Open;
        let pause = if is_held { client::RENEWAL } else { client::RETRY };
        let last = self.requested.filter(|(last, _)| *last == control);
        last.is_none_or(|(_, at)| now.duration_since(at) >= pause)
    }
}

impl Operator for ExampleOperator {
    type Resource = ExampleApp;
    type Memory = Memory;
    type Inputs = Inputs;
    type Valid<'v> = Valid;
    type Step = Step;
    type Course = Course;
    type Health = Health;

    fn declaration(&self) -> &'static Declaration {
        &DECLARATION
    }

    async fn gather(
        &self,
        app: &ExampleApp,
        cluster: Cluster<'_>,
        _memory: &mut Memory,
        _now: Timestamp,
    ) -> Result<Inputs, PassError> {
        let mut inputs = Inputs::read(app, cluster)?;
        let upgrade = app.status.as_ref().and_then(|status| status.upgrade.as_ref());
        let is_needed = upgrade.is_some_and(|upgrade| match upgrade.phase {
            UpgradePhase::Migrating | UpgradePhase::ReturningData | UpgradePhase::ReturningInstances => true,
            UpgradePhase::Followers | UpgradePhase::Writer | UpgradePhase::Watching => false,
        });
        if is_needed {
            let host = inputs.names.first_instance(cluster.key);
            inputs.writes = self.instances.writes(&host, &inputs.credentials).await;
        }
        Ok(inputs)
    }

    fn validate<'v>(&'v self, app: &'v ExampleApp, inputs: &'v Inputs) -> Result<Valid, Invalid> {
        validate::validate(app, inputs, self.timing)
    }

    fn plan(
        &self,
        valid: &Valid,
        inputs: &Inputs,
        memory: &mut Memory,
        now: Timestamp,
    ) -> Result<Plan<Self>, Invalid> {
        let mut plan = plan::plan(valid, inputs, now);
        plan.step = plan.step.filter(|step| memory.is_due(step.control, inputs.writes, now));
        if let Some(step) = &plan.step {
            memory.requested = Some((step.control, now));
        }
        Ok(plan)
    }

    async fn perform(&self, step: &Step, inputs: &Inputs) -> Result<(), PassError> {
        self.instances.perform(step, &inputs.credentials).await
    }

    fn observe(
        &self,
        app: &ExampleApp,
        attempt: &Attempt<'_, Self>,
        _memory: &mut Memory,
        _now: Timestamp,
    ) -> Observed<Health> {
        observe::observe(app, attempt.inputs, attempt.applied).into()
    }

    fn report(&self, app: &ExampleApp, result: &PassResult<'_, Self>, now: Timestamp) -> Report {
        report::report(app, result, now)
    }
}
