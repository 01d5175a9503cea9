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
pub mod render;
pub mod report;
pub mod upgrade;
pub mod validate;
pub mod version;

use api_example::{ExampleApp, UpgradePhase};
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::jiff::Timestamp;
use kernel::apply::Applied;
use kernel::declare::Declaration;
use kernel::flow::{Invalid, Operator, PassError, Plan, Verdict};
use kernel::report::Report;
use kernel::stores::Stores;

pub use declaration::DECLARATION;

use client::Instances;
use gather::{CONFIG_MAP, Found, Gate, Inputs, Look, SECRET, SERVICE, STATEFUL_SET};
use plan::{Planned, Step};
use upgrade::{Facts, Pace};
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

impl Operator for ExampleOperator {
    type Resource = ExampleApp;
    type Inputs = Inputs;
    type Valid = Checked;
    type Step = Step;
    type Course = Planned;

    fn declaration(&self) -> &'static Declaration {
        &DECLARATION
    }

    async fn gather(&self, app: &ExampleApp, stores: &Stores, _now: Timestamp) -> Result<Inputs, PassError> {
        let mut inputs = look(app, stores)?;
        let phase = app.status.as_ref().and_then(|status| Some(status.upgrade.as_ref()?.phase));
        let asks = |phase: &UpgradePhase| {
            matches!(
                phase,
                UpgradePhase::Migrating | UpgradePhase::ReturningData | UpgradePhase::ReturningInstances
            )
        };
        if phase.as_ref().is_some_and(asks) {
            let valid = validate::validate(app, &inputs);
            if let Ok(valid) = valid {
                let url = plan::instance_url(&valid, &inputs);
                inputs.gate = self.instances.gate(&url, &inputs.credentials).await;
            }
        }
        Ok(inputs)
    }

    fn validate(&self, app: &ExampleApp, inputs: &Inputs) -> Result<Checked, Invalid> {
        let valid = validate::validate(app, inputs)?;
        let facts = plan::facts(app, &valid, inputs, self.pace);
        Ok(Checked { valid, facts })
    }

    fn plan(&self, checked: &Checked, inputs: &Inputs, now: Timestamp) -> Plan<Self> {
        let mut planned = plan::plan(&checked.valid, inputs, &checked.facts, now);
        Plan {
            work: std::mem::take(&mut planned.work),
            step: planned.step.take(),
            finalizer: planned.finalizer,
            requeue_after: planned.requeue_after,
            course: planned,
        }
    }

    async fn perform(&self, step: &Step) -> Result<(), PassError> {
        self.instances.perform(step).await
    }

    fn report(&self, app: &ExampleApp, verdict: &Verdict<'_, Self>, now: Timestamp) -> Report {
        match verdict {
            Verdict::Blind(trouble) => report::blind(app, trouble, now),
            Verdict::Invalid(inputs, invalid) => {
                let health = observe::observe(app, inputs, &Applied::default());
                report::invalid(app, inputs, &health, invalid, now)
            }
            Verdict::Done { inputs, plan, applied, trouble } => {
                let health = &observe::observe(app, inputs, applied);
                let outcome =
                    report::Outcome { inputs, health, planned: &plan.course, applied, trouble: *trouble };
                report::done(app, &outcome, now)
            }
        }
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
