//! Lets one thing go wrong while a change is made, and writes down whether it did.

use anyhow::{Context, Result, bail};
use kernel::call::Verb;
use kernel::faults::{Calls, Entry, Fault, Hits, Rule};
use lab::clock::wait_for;

use crate::plan::Perturbation;
use crate::play::Player;
use crate::stage::LIMIT;
use crate::strike::reads_all;

impl Player<'_> {
    /// What goes wrong before a change is made.
    pub(crate) async fn before(&mut self, perturbation: &Perturbation) -> Result<()> {
        let script = self.stage.script.clone();
        self.evidence.began = script.requests();
        match perturbation {
            Perturbation::Fault(spot, fault) => script.add(spot.rule(fault.clone())),
            Perturbation::Denied { kind, refusal, .. } => {
                let kind = kind.clone();
                let calls = Calls::matching(move |call| call.is_write() && call.kind() == kind);
                script.add(Rule { calls, hits: Hits::Every, fault: Fault::Refused(*refusal) });
            }
            Perturbation::Blocked { kind, fault, .. } => {
                self.stage.kill();
                let calls = Calls::of(Verb::Watch, kind);
                script.add(Rule { calls, hits: Hits::Nth(1), fault: fault.clone() });
                self.stage.start()?;
            }
            Perturbation::Held { kind, .. } => {
                self.stage.silent().await?;
                self.held = self.stage.versions(kind).await?;
                script.hold(kind);
            }
            Perturbation::Cut { kind, how, .. } => {
                self.stage.silent().await?;
                self.evidence.began = script.requests();
                script.cut(Some(kind), *how);
            }
            Perturbation::Outside { nth, mishap, .. } => {
                self.cast.world.instances.disturb(&self.stage.namespace, *nth, *mishap);
            }
            Perturbation::Absent { .. } => {
                self.stage.stop().await;
                self.evidence.began = script.requests();
            }
            Perturbation::Idle
            | Perturbation::Stale { .. }
            | Perturbation::Drift(_)
            | Perturbation::Property(_) => {}
        }
        Ok(())
    }

    /// What happens while the operator works on a change.
    pub(crate) async fn meanwhile(&mut self, perturbation: &Perturbation) -> Result<()> {
        let script = self.stage.script.clone();
        match perturbation {
            Perturbation::Denied { kind, .. } => {
                self.told().await.with_context(|| format!("writes of {kind} are refused"))?;
                script.clear();
            }
            Perturbation::Held { kind, expired, .. } => {
                self.evidence.seen = self.changes(kind).await;
                self.stage.silent_if_it_can().await;
                self.evidence.ended = script.requests();
                if *expired {
                    script.release_as_expired(kind);
                } else {
                    script.release(kind);
                }
            }
            Perturbation::Absent { .. } => {
                self.evidence.ended = script.requests();
                self.stage.start()?;
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

    /// When a change is over: what is certain to happen, and may come late, is waited for.
    pub(crate) async fn after(&mut self, perturbation: &Perturbation) {
        match perturbation {
            Perturbation::Cut { kind, .. } => {
                self.asked(self.evidence.began, |entry| reads_all(entry, kind)).await;
            }
            Perturbation::Outside { .. } => {
                self.evidence.seen = self.cast.world.instances.struck(&self.stage.namespace);
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

    /// Waits until there was a request since another one; whether there was.
    pub(crate) async fn asked(&self, since: usize, test: impl Fn(&Entry) -> bool) -> bool {
        let test = &test;
        let asked =
            wait_for(LIMIT, || async { self.stage.script.trace().0[since..].iter().any(test).then_some(()) });
        asked.await.is_some()
    }

    /// Waits until something of the kind whose events are held back is another than when that began; whether it is.
    async fn changes(&self, kind: &str) -> bool {
        let changed = wait_for(LIMIT, || async {
            let versions = self.stage.versions(kind).await.ok()?;
            (versions != self.held).then_some(())
        });
        changed.await.is_some()
    }

    /// Waits until the status says that something cannot be done.
    async fn told(&mut self) -> Result<()> {
        let (subject, limit) = (self.cast.subject, LIMIT);
        let stage = &self.stage;
        let told = wait_for(limit, || async {
            let state = stage.look().await.ok()?;
            subject.resource_in(&state).is_some_and(subject.shows_trouble).then_some(())
        });
        if told.await.is_none() {
            bail!("the status does not say so after {limit:?}");
        }
        Ok(())
    }
}
