//! Applies one perturbation while a change is made, and records whether it took effect.

use anyhow::{Context, Result, bail};
use kernel::call::Verb;
use kernel::faults::{Calls, Fault, FaultRule, Hits, TraceEntry};
use lab::clock::wait_for;

use crate::evidence::reads_all;
use crate::plan::Perturbation;
use crate::runner::PlanRunner;
use crate::testbed::LIMIT;

impl PlanRunner<'_> {
    /// Starts the perturbation before the change is made.
    pub(crate) async fn before(&mut self, perturbation: &Perturbation) -> Result<()> {
        let script = self.testbed.script.clone();
        self.evidence.started = script.requests();
        match perturbation {
            Perturbation::Fault(point, fault) => script.add(point.rule(fault.clone())),
            Perturbation::Denied { kind, refusal, .. } => {
                let kind = kind.clone();
                let calls = Calls::matching(move |call| call.is_write() && call.kind() == kind);
                script.add(FaultRule { calls, hits: Hits::Every, fault: Fault::Refused(*refusal) });
            }
            Perturbation::Blocked { kind, fault, .. } => {
                self.testbed.kill();
                let calls = Calls::of(Verb::Watch, kind);
                script.add(FaultRule { calls, hits: Hits::Nth(1), fault: fault.clone() });
                self.testbed.start()?;
            }
            Perturbation::Held { kind, .. } => {
                self.testbed.silent().await?;
                self.held = self.testbed.versions(kind).await?;
                script.hold(kind);
            }
            Perturbation::Cut { kind, how, .. } => {
                self.testbed.silent().await?;
                self.evidence.started = script.requests();
                script.cut(Some(kind), *how);
            }
            Perturbation::Outside { nth, fault, .. } => {
                self.setup.cluster.instances.disturb(&self.testbed.namespace, *nth, *fault);
            }
            Perturbation::Absent { .. } => {
                self.testbed.stop().await;
                self.evidence.started = script.requests();
            }
            Perturbation::Idle
            | Perturbation::Stale { .. }
            | Perturbation::Drift(_)
            | Perturbation::Property(_) => {}
        }
        Ok(())
    }

    /// Continues the perturbation while the operator works on the change.
    pub(crate) async fn meanwhile(&mut self, perturbation: &Perturbation) -> Result<()> {
        let script = self.testbed.script.clone();
        match perturbation {
            Perturbation::Denied { kind, .. } => {
                self.trouble_is_reported().await.with_context(|| format!("writes of {kind} are rejected"))?;
                script.clear();
            }
            Perturbation::Held { kind, expired, .. } => {
                self.evidence.seen = self.changes(kind).await;
                self.testbed.silent_for_a_while().await;
                self.evidence.ended = script.requests();
                if *expired {
                    script.release_as_expired(kind);
                } else {
                    script.release(kind);
                }
            }
            Perturbation::Absent { .. } => {
                self.evidence.ended = script.requests();
                self.testbed.start()?;
            }
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

    /// Waits, after the change is complete, for effects that may come late.
    pub(crate) async fn after(&mut self, perturbation: &Perturbation) {
        match perturbation {
            Perturbation::Cut { kind, .. } => {
                self.requested(self.evidence.started, |entry| reads_all(entry, kind)).await;
            }
            Perturbation::Outside { .. } => {
                self.evidence.seen = self.setup.cluster.instances.was_disturbed(&self.testbed.namespace);
            }
            Perturbation::Fault(..)
            | Perturbation::Denied { .. }
            | Perturbation::Blocked { .. }
            | Perturbation::Held { .. }
            | Perturbation::Absent { .. }
            | Perturbation::Idle
            | Perturbation::Stale { .. }
            | Perturbation::Drift(_)
            | Perturbation::Property(_) => {}
        }
    }

    /// Waits for a request after another one. Returns whether there was one.
    pub(crate) async fn requested(&self, since: usize, test: impl Fn(&TraceEntry) -> bool) -> bool {
        let test = &test;
        let requested = wait_for(LIMIT, || async {
            self.testbed.script.trace().0[since..].iter().any(test).then_some(())
        });
        requested.await.is_some()
    }

    /// Waits until an object of the kind with delayed events changes. Returns whether one did.
    async fn changes(&self, kind: &str) -> bool {
        let changed = wait_for(LIMIT, || async {
            let versions = self.testbed.versions(kind).await.ok()?;
            (versions != self.held).then_some(())
        });
        changed.await.is_some()
    }

    /// Waits until the status reports the failure.
    async fn trouble_is_reported(&mut self) -> Result<()> {
        let (subject, limit) = (self.setup.subject, LIMIT);
        let testbed = &self.testbed;
        let reported = wait_for(limit, || async {
            let state = testbed.look().await.ok()?;
            subject.resource_in(&state).is_some_and(subject.shows_trouble).then_some(())
        });
        if reported.await.is_none() {
            bail!("the status does not report it after {limit:?}");
        }
        Ok(())
    }
}
