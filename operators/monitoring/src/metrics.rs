//! What is counted under the names of the Prometheus Operator, so that its dashboards and alerts go on working. The kernel
//! tells what happens and knows none of these names.
//!
//! | file | owns |
//! |---|---|
//! | `passes`, `state` | queues, passes and what they write, a controller each |
//! | `requests` | the client of the API server |
//! | `workloads` | what is known of each workload: a series goes with its object |
//!
//! What there is nothing to count of is left out: no runtime of Go, and no second queue for statuses.

mod passes;
mod requests;
mod state;
#[cfg(test)]
mod tests;
mod workloads;

use std::sync::Arc;

use kernel::declare::Declaration;
use kernel::metrics::{Catalogue, Observer, Occurrence};

use crate::declaration;
use passes::Controller;
use requests::Requests;
use workloads::Workloads;

/// What every name begins with.
const PREFIX: &str = "prometheus_operator";
/// The size classes of every histogram.
const BUCKETS: &[f64] = &[0.1, 0.5, 1.0, 5.0, 10.0];
/// The controllers, with the names of their queues.
const CONTROLLERS: [(&Declaration, &str); 4] = [
    (&declaration::PROMETHEUS, "prometheus"),
    (&declaration::AGENT, "prometheusagent"),
    (&declaration::ALERTMANAGER, "alertmanager"),
    (&declaration::THANOS_RULER, "thanosruler"),
];

/// What is counted.
#[derive(Debug)]
pub struct Monitored {
    controllers: Vec<Controller>,
    requests: Requests,
    workloads: Arc<Workloads>,
}

impl Monitored {
    /// Registers all families. All series of a controller are there from now on, so that a rate never misses a first
    /// failure.
    pub fn register(catalogue: &mut Catalogue) -> Self {
        let workloads = Arc::<Workloads>::default();
        workloads::register(&mut catalogue.under(PREFIX), &workloads);
        Self {
            controllers: passes::register(&mut catalogue.under(PREFIX)),
            requests: Requests::register(&mut catalogue.under(PREFIX)),
            workloads,
        }
    }

    fn controller(&self, name: &str) -> Option<&Controller> {
        self.controllers.iter().find(|controller| controller.declaration.name == name)
    }
}

impl Observer for Monitored {
    fn sees(&self, occurrence: &Occurrence<'_>) {
        match occurrence {
            Occurrence::Changed { kind, change } => {
                let primary = CONTROLLERS.iter().find(|(declaration, _)| declaration.primary == *kind);
                if let Some((declaration, _)) = primary {
                    self.workloads.changed(declaration.name, change);
                }
            }
            Occurrence::Answered { call, code, took, held_back } => {
                self.requests.answered(call, *code, *took, *held_back);
                for controller in &self.controllers {
                    controller.answered(call, *code);
                }
            }
            Occurrence::Selected { controller, resource, count } => {
                self.workloads.selected(controller, resource, count);
            }
            Occurrence::Reconciled { controller, resource, reconciled } => {
                self.workloads.reconciled(controller, resource, *reconciled);
                if let Some(controller) = self.controller(controller) {
                    controller.sees(occurrence);
                }
            }
            Occurrence::Ready { controller }
            | Occurrence::Triggered { controller, .. }
            | Occurrence::Added { controller }
            | Occurrence::Due { controller, .. }
            | Occurrence::Started { controller, .. }
            | Occurrence::Ended { controller, .. }
            | Occurrence::StatusWritten { controller, .. }
            | Occurrence::Recreated { controller, .. } => {
                if let Some(controller) = self.controller(controller) {
                    controller.sees(occurrence);
                }
            }
        }
    }
}

/// Registers what the program is.
pub fn register_build(catalogue: &mut Catalogue, version: &'static str, revision: &'static str) {
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    let help = "Always 1, with what this program was built from and for";
    let labels = ["version", "revision", "goos", "goarch"];
    let build = catalogue.under(PREFIX).gauges("build_info", labels, help);
    build.with([version, revision, std::env::consts::OS, architecture]).set(1);
}

/// Registers which feature gates are open.
pub fn register_gates(catalogue: &mut Catalogue, gates: impl IntoIterator<Item = (&'static str, bool)>) {
    let help = "Whether a feature gate is open (1) or not (0)";
    let family = catalogue.under(PREFIX).gauges("feature_gate", ["name"], help);
    for (name, is_open) in gates {
        family.with([name]).set(i64::from(is_open));
    }
}

/// All families as a table for the documents.
pub fn reference() -> String {
    let mut catalogue = Catalogue::default();
    Monitored::register(&mut catalogue);
    register_build(&mut catalogue, "", "");
    register_gates(&mut catalogue, []);
    catalogue.reference()
}
