//! The stages of a pass, the same for all four workloads.
//!
//! | file | stage |
//! |---|---|
//! | [`gather`] | reads the stores, the API server and the pods |
//! | [`validate`] | checks the workload |
//! | [`plan`] | the objects that the cluster should have |
//! | [`observe`] | the state of the workload after the writes, and which pods are touched |
//! | [`report`] | the status and the events |

pub(crate) mod gather;
mod observe;
mod plan;
mod report;
#[cfg(test)]
mod tests;
mod validate;

use std::convert::Infallible;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Instant;

use k8s_openapi::jiff::Timestamp;
use kernel::apply::ForeignStatus;
use kernel::clock;
use kernel::declare::Declaration;
use kernel::flow::{Attempt, Cluster, Invalid, Observed, Operator, PassError, PassResult, Plan};
use kernel::object::Object;
use kernel::report::Report;
use kube::Client;

use self::gather::Inputs;
use self::observe::Health;
use self::plan::Course;
use self::validate::CheckedWorkload;
use crate::bindings::unbind;
use crate::kind::Workload;
use crate::loaded::ask::Asker;
use crate::memory::Memory;
use crate::settings::MonitoringSettings;

/// The annotation with which a workload names the operator that reconciles it.
const CONTROLLER_ID: &str = "operator.prometheus.io/controller-id";

/// The operator of one kind of workload.
pub struct WorkloadOperator<W> {
    client: Client,
    settings: Arc<MonitoringSettings>,
    /// When the process started to list what workloads select.
    started: Instant,
    asker: Asker,
    kind: PhantomData<W>,
}

/// What the pure stages need besides their inputs.
#[derive(Clone, Copy)]
struct Context<'c> {
    settings: &'c MonitoringSettings,
    now: Timestamp,
}

impl<W: Workload> WorkloadOperator<W> {
    /// An operator that reads with this client.
    pub fn new(client: Client, settings: Arc<MonitoringSettings>) -> Self {
        let (started, asker) = (clock::now(), Asker::new(clock::timestamp));
        Self { client, settings, started, asker, kind: PhantomData }
    }
}

impl<W: Workload> Operator for WorkloadOperator<W> {
    type Resource = W::Resource;
    type Memory = Memory;
    type Inputs = Inputs;
    type Valid<'v> = CheckedWorkload<'v, W>;
    /// There is nothing to do outside of Kubernetes.
    type Step = Infallible;
    type Course = Course;
    type Health = Health;

    fn declaration(&self) -> &'static Declaration {
        W::DECLARATION
    }

    fn is_ours(&self, resource: &Object) -> bool {
        let value = resource.value();
        let named = value["metadata"]["annotations"][CONTROLLER_ID].as_str().unwrap_or_default();
        named == self.settings.controller_id
    }

    async fn gather(
        &self,
        resource: &W::Resource,
        cluster: Cluster<'_>,
        memory: &mut Memory,
        now: Timestamp,
    ) -> Result<Inputs, PassError> {
        self.read(resource, cluster, memory, now).await
    }

    fn validate<'v>(
        &'v self,
        resource: &'v W::Resource,
        inputs: &'v Inputs,
    ) -> Result<CheckedWorkload<'v, W>, Invalid> {
        validate::validate(resource, inputs, &self.settings)
    }

    fn plan(
        &self,
        checked: &CheckedWorkload<'_, W>,
        inputs: &Inputs,
        memory: &mut Memory,
        now: Timestamp,
    ) -> Result<Plan<Self>, Invalid> {
        plan::plan(checked, inputs, memory, Context { settings: &self.settings, now })
    }

    async fn perform(&self, step: &Infallible, _inputs: &Inputs) -> Result<(), PassError> {
        match *step {}
    }

    fn observe(
        &self,
        resource: &W::Resource,
        attempt: &Attempt<'_, Self>,
        memory: &mut Memory,
        now: Timestamp,
    ) -> Observed<Health> {
        observe::observe::<W>(resource, attempt, memory, Context { settings: &self.settings, now })
    }

    fn statuses_after_deletion(&self, cluster: Cluster<'_>) -> Vec<ForeignStatus> {
        if !self.settings.bindings {
            return Vec::new();
        }
        unbind(W::DECLARATION.primary, cluster.key, &gather::mentioning(cluster))
    }

    fn report(&self, resource: &W::Resource, result: &PassResult<'_, Self>, now: Timestamp) -> Report {
        report::report(resource, result, now)
    }
}
