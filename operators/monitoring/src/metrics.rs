//! The metrics of the Prometheus Operator, with its names, so that its dashboards and alerts keep working. The kernel reports
//! occurrences and does not know these names.
//!
//! | file | owns |
//! |---|---|
//! | `passes`, `state` | queues, passes and what they write, for each controller |
//! | `requests` | requests to the API server |
//! | `workloads` | what is known of each workload: its series are removed with it |
//!
//! Metrics without a counterpart are left out: those of the Go runtime, and of a second queue for statuses.

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
use passes::Passes;
use requests::Requests;
use state::Controller;
use workloads::Workloads;

/// The prefix of all names.
const PREFIX: &str = "prometheus_operator";
/// The buckets of all histograms.
const BUCKETS: &[f64] = &[0.1, 0.5, 1.0, 5.0, 10.0];
/// The controllers, with the names of their queues.
const CONTROLLERS: [(&Declaration, &str); 4] = [
    (&declaration::PROMETHEUS, "prometheus"),
    (&declaration::AGENT, "prometheusagent"),
    (&declaration::ALERTMANAGER, "alertmanager"),
    (&declaration::THANOS_RULER, "thanosruler"),
];

/// The metrics.
#[derive(Debug)]
pub struct Monitored {
    controllers: Vec<Arc<Controller>>,
    passes: Passes,
    requests: Requests,
    workloads: Arc<Workloads>,
}

impl Monitored {
    /// Registers all families, with all series of each controller.
    pub fn register(catalogue: &mut Catalogue) -> Self {
        let mut section = catalogue.under(PREFIX);
        let controllers: Vec<Arc<Controller>> = CONTROLLERS.into_iter().map(Controller::new).collect();
        let workloads = Arc::<Workloads>::default();
        workloads::register(&mut section, &workloads);
        state::register(&mut section, &controllers);
        let passes = Passes::register(&mut section);
        for controller in &controllers {
            passes.add_series(controller);
        }
        Self { controllers, passes, requests: Requests::register(&mut section), workloads }
    }

    fn count(&self, name: &str, occurrence: &Occurrence<'_>) {
        if let Some(controller) = self.controllers.iter().find(|one| one.name() == name) {
            self.passes.sees(controller, occurrence);
        }
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
                    self.passes.answered(controller, call, *code);
                }
            }
            Occurrence::Selected { controller, resource, count } => {
                self.workloads.selected(controller, resource, count);
            }
            Occurrence::Reconciled { controller, resource, reconciled } => {
                self.workloads.reconciled(controller, resource, *reconciled);
                self.count(controller, occurrence);
            }
            Occurrence::Ready { controller }
            | Occurrence::Triggered { controller, .. }
            | Occurrence::Added { controller }
            | Occurrence::Due { controller, .. }
            | Occurrence::Started { controller, .. }
            | Occurrence::Ended { controller, .. }
            | Occurrence::StatusWritten { controller, .. }
            | Occurrence::Recreated { controller, .. } => self.count(controller, occurrence),
        }
    }
}

/// Registers the version of the program.
pub fn register_build(catalogue: &mut Catalogue, version: &'static str, revision: &'static str) {
    let architecture = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    let help = "Always 1, with the version of the program and the platform it was built for";
    let labels = ["version", "revision", "goos", "goarch"];
    let build = catalogue.under(PREFIX).gauges("build_info", labels, help);
    build.with([version, revision, std::env::consts::OS, architecture]).set(1);
}

/// Registers which feature gates are enabled.
pub fn register_gates(catalogue: &mut Catalogue, gates: impl IntoIterator<Item = (&'static str, bool)>) {
    let help = "Whether a feature gate is enabled (1) or not (0)";
    let family = catalogue.under(PREFIX).gauges("feature_gate", ["name"], help);
    for (name, is_enabled) in gates {
        family.with([name]).set(i64::from(is_enabled));
    }
}

/// All families as a table for the documentation.
pub fn reference() -> String {
    let mut catalogue = Catalogue::default();
    Monitored::register(&mut catalogue);
    register_build(&mut catalogue, "", "");
    register_gates(&mut catalogue, []);
    catalogue.reference()
}
