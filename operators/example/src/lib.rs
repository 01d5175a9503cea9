//! The operator of the example application: the one to read first, and the pattern for the next.
//!
//! A pass goes through the files in this order:
//!
//! | stage | file | pure |
//! |---|---|---|
//! | gather | [`gather`]: what is there; [`client`]: what an instance says | no |
//! | validate | [`validate`]: what can be carried out; [`version`]: which version follows which | yes |
//! | plan | [`plan`]: one file a child object; [`upgrade`]: the phases of an upgrade; [`adopt`]: what was there before us | yes |
//! | apply | the kernel | no |
//! | observe | [`observe`]: how the application is doing; [`instance`]: how a pod is | yes |
//! | report | [`report`]: status and events | yes |

pub mod adopt;
pub mod client;
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
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::jiff::Timestamp;
use kernel::declare::Declaration;
use kernel::flow::{Attempt, Cluster, Invalid, Observed, Operator, PassError, PassResult, Plan};
use kernel::object::Key;
use kernel::report::Report;
use kernel::stores::Stores;
use serde_json::{Value, json};

pub use crate::product::PRODUCT;
pub use declaration::DECLARATION;

use client::Instances;
use gather::{CONFIG_MAP, Found, Gate, Inputs, Look, SECRET, SERVICE, STATEFUL_SET};
use observe::Health;
use plan::{Aim, Planned, Step};
use upgrade::{Ask, Facts, Pace};
use validate::Valid;

/// The operator of `ExampleApp`.
#[derive(Debug, Clone, Default)]
pub struct ExampleOperator {
    /// The way to instances.
    pub instances: Instances,
    /// How much time an upgrade takes for itself.
    pub pace: Pace,
}

/// What was found out about a resource, for `plan`.
#[derive(Debug, Clone)]
pub struct Checked {
    valid: Valid,
    facts: Facts,
}

/// What is remembered of an application from one pass to the next.
#[derive(Debug, Default)]
pub struct Memory {
    /// What was asked of the instance that takes the writes, and when.
    asked: Option<(Ask, Timestamp)>,
}

impl Memory {
    /// Whether it is time to ask: at once for something new, again after a second if nothing came of it, and before writes
    /// that wait pass by themselves.
    fn is_due(&self, ask: Ask, gate: Gate, now: Timestamp) -> bool {
        let pause = if ask == Ask::Hold && gate != Gate::Open { client::RENEWAL } else { client::RETRY };
        let asked = self.asked.filter(|(before, _)| *before == ask);
        asked.is_none_or(|(_, at)| now.duration_since(at) >= pause)
    }
}

impl Operator for ExampleOperator {
    type Resource = ExampleApp;
    type Memory = Memory;
    type Inputs = Inputs;
    type Valid<'v> = Checked;
    type Step = Step;
    type Course = Planned;
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
        let mut inputs = look(app, cluster.stores)?;
        let phase = app.status.as_ref().and_then(|status| Some(status.upgrade.as_ref()?.phase));
        let asks = |phase: &UpgradePhase| {
            matches!(
                phase,
                UpgradePhase::Migrating | UpgradePhase::ReturningData | UpgradePhase::ReturningInstances
            )
        };
        if phase.as_ref().is_some_and(asks) {
            let host = plan::instance_host(&Key::of(&app.metadata), &inputs.frame);
            inputs.gate = self.instances.gate(&host, &inputs.credentials).await;
        }
        Ok(inputs)
    }

    fn validate<'v>(&'v self, app: &'v ExampleApp, inputs: &'v Inputs) -> Result<Checked, Invalid> {
        let valid = validate::validate(app, inputs)?;
        let facts = plan::facts(app, &valid, inputs, self.pace);
        Ok(Checked { valid, facts })
    }

    fn plan(
        &self,
        checked: &Checked,
        inputs: &Inputs,
        memory: &mut Memory,
        now: Timestamp,
    ) -> Result<Plan<Self>, Invalid> {
        let mut planned = plan::plan(&checked.valid, inputs, &checked.facts, now);
        let step = planned.step.take().filter(|step| memory.is_due(step.ask, inputs.gate, now));
        if let Some(step) = &step {
            memory.asked = Some((step.ask, now));
        }
        Ok(Plan {
            intent: intent(&planned, &checked.facts),
            work: std::mem::take(&mut planned.work),
            step,
            finalizer: planned.finalizer,
            requeue_after: planned.requeue_after,
            course: planned,
        })
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
        match result {
            PassResult::Unread(error) => report::unread(app, error, now),
            PassResult::Invalid { inputs, invalid, health } => {
                report::invalid(app, inputs, health, invalid, now)
            }
            PassResult::Applied { inputs, plan, applied, health, error } => {
                let outcome =
                    report::Outcome { inputs, health, planned: &plan.course, applied, error: *error };
                report::done(app, &outcome, now)
            }
        }
    }
}

/// The phase of an upgrade is in the status before anything of it is done.
fn intent(planned: &Planned, facts: &Facts) -> Value {
    match &planned.aim {
        Aim::Run(course) if course.upgrade.is_some() && course.upgrade != facts.upgrade => {
            json!({ "upgrade": course.upgrade })
        }
        Aim::Run(_) | Aim::Pause | Aim::Uninstall | Aim::Disconnect => Value::Null,
    }
}

/// What the stores hold of an application.
fn look(app: &ExampleApp, stores: &Stores) -> Result<Inputs, PassError> {
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let (name, namespace, uid) =
        (text(&app.metadata.name), text(&app.metadata.namespace), text(&app.metadata.uid));
    let look = Look::new(stores, &namespace, &uid);
    let set = look.get(STATEFUL_SET, &name)?;
    let frame = gather::frame(app, &name, set.as_ref());
    let secret: Option<Found<Secret>> = look.get(SECRET, &frame.secret)?;
    let credentials = secret.and_then(|secret| gather::credentials(&secret.object));
    let features: Option<Found<ConfigMap>> = look.get(CONFIG_MAP, &frame.features)?;
    let claim_objects = look.claims(&name, &frame.claim);
    let claims = claim_objects.iter().map(|object| gather::read(object)).collect::<Result<_, _>>()?;
    Ok(Inputs {
        set,
        pods: look.pods(&name, &frame)?,
        claims,
        claim_objects,
        service: look.get(SERVICE, &name)?,
        features: features.map(|features| features.object),
        credentials: credentials.unwrap_or_else(gather::new_credentials),
        jobs: look.jobs()?,
        gate: Gate::Open,
        frame,
    })
}
