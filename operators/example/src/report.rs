//! What a user reads: the status, and events when something about it is new. Pure.

use api_example::{ExampleApp, ExampleAppStatus, UpgradePhase, UpgradeStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;
use kernel::apply::Applied;
use kernel::condition::{Merging, Order, Statement, Truth, merge};
use kernel::flow::{Invalid, PassError};
use kernel::report::{Reconciled, Report, notes};

use crate::gather::Inputs;
use crate::observe::Health;
use crate::plan::{Aim, Planned};
use crate::upgrade::{Course, Ended};
use crate::validate::Complaint;

/// The conditions that are ours.
const OWNED: [&str; 6] = ["Accepted", "BackedUp", "Paused", "Progressing", "Ready", "Upgraded"];

fn says(kind: &'static str, truth: Truth, reason: &'static str, message: impl Into<String>) -> Statement {
    Statement { kind, truth, reason, message: message.into(), alarming: false }
}

fn warns(kind: &'static str, truth: Truth, reason: &'static str, message: impl Into<String>) -> Statement {
    Statement { alarming: true, ..says(kind, truth, reason, message) }
}

/// What became of a pass that was carried out.
pub struct Outcome<'a> {
    /// What was known.
    pub inputs: &'a Inputs,
    /// How the application is doing.
    pub health: &'a Health,
    /// What was to be done.
    pub planned: &'a Planned,
    /// What was done.
    pub applied: &'a Applied,
    /// What failed.
    pub error: Option<&'a PassError>,
}

/// The spec makes no sense.
pub fn invalid(
    app: &ExampleApp,
    inputs: &Inputs,
    health: &Health,
    invalid: &Invalid,
    now: Timestamp,
) -> Report {
    let status = facts(app, inputs, health);
    let statements = vec![
        warns("Accepted", Truth::False, invalid.reason, invalid.message.clone()),
        readiness(app, health, &status, None),
    ];
    finish(app, status, &statements, Reconciled::Invalid, now)
}

/// Something could not be read.
pub fn unread(app: &ExampleApp, error: &PassError, now: Timestamp) -> Report {
    let status = app.status.clone().unwrap_or_default();
    let statements = vec![warns("Progressing", Truth::False, "CannotLook", error.words())];
    // What was said before still holds as far as we know.
    let mut report = finish(app, status.clone(), &statements, Reconciled::Failed, now);
    if let Some(new) = report.status["conditions"].as_array_mut() {
        let kept = status.conditions.iter().filter(|condition| condition.type_ != "Progressing");
        new.extend(kept.filter_map(|condition| serde_json::to_value(condition).ok()));
        new.sort_by_key(|condition| condition["type"].as_str().map(String::from));
    }
    report
}

/// The spec was carried out, as far as that went.
pub fn done(app: &ExampleApp, outcome: &Outcome<'_>, now: Timestamp) -> Report {
    let Outcome { inputs, health, planned, .. } = outcome;
    let mut status = facts(app, inputs, health);
    let mut statements = vec![accepted(&planned.complaints)];
    if let Aim::Run(course) = &planned.aim {
        status.upgrade.clone_from(&course.upgrade);
        match &course.ended {
            Some(Ended::Back(failed)) => status.failed_upgrade = Some(failed.clone()),
            Some(Ended::Well(_) | Ended::Superseded) => status.failed_upgrade = None,
            None => {}
        }
        statements.extend(upgraded(app, course));
    } else {
        statements.extend(before(app, "Upgraded"));
    }
    statements.push(readiness(app, health, &status, Some(&planned.aim)));
    statements.push(progressing(app, outcome, &status));
    if matches!(planned.aim, Aim::Pause) {
        statements.push(says(
            "Paused",
            Truth::True,
            "PausedByUser",
            "spec.paused is true: nothing is changed until it is not",
        ));
    }
    if app.spec.backup.as_ref().is_some_and(|backup| backup.enabled) {
        let message =
            "spec.backup.enabled is true, but this version of the operator takes no backups: take your own";
        statements.push(warns("BackedUp", Truth::False, "NotTaken", message));
    }
    let reconciled = if outcome.error.is_some() { Reconciled::Failed } else { Reconciled::Done };
    finish(app, status, &statements, reconciled, now)
}

/// What a status says without conditions.
fn facts(app: &ExampleApp, inputs: &Inputs, health: &Health) -> ExampleAppStatus {
    let (name, namespace) = (
        app.metadata.name.as_deref().unwrap_or_default(),
        app.metadata.namespace.as_deref().unwrap_or_default(),
    );
    let old = app.status.clone().unwrap_or_default();
    let port = health.port.filter(|port| *port != 80).map(|port| format!(":{port}")).unwrap_or_default();
    let selector: Vec<String> =
        inputs.frame.selector.iter().map(|(key, value)| format!("{key}={value}")).collect();
    let ready = health.instances.iter().filter(|instance| instance.ready).count();
    ExampleAppStatus {
        current_version: health.version().or(old.current_version),
        url: Some(format!("http://{name}.{namespace}.svc{port}/")),
        auth_secret_name: Some(inputs.frame.secret.clone()),
        backup: old.backup,
        upgrade: old.upgrade,
        failed_upgrade: old.failed_upgrade,
        adopted: inputs.frame.to_remember(name),
        replicas: i32::try_from(health.instances.len()).ok(),
        ready_replicas: i32::try_from(ready).ok(),
        selector: Some(selector.join(",")),
        observed_generation: app.metadata.generation,
        conditions: old.conditions,
    }
}

fn accepted(complaints: &[Complaint]) -> Statement {
    match complaints.first() {
        None => says("Accepted", Truth::True, "Accepted", ""),
        Some(first) => {
            let all: Vec<&str> = complaints.iter().map(|complaint| complaint.message.as_str()).collect();
            warns("Accepted", Truth::False, first.reason, all.join("; "))
        }
    }
}

fn readiness(app: &ExampleApp, health: &Health, status: &ExampleAppStatus, aim: Option<&Aim>) -> Statement {
    let wanted = usize::try_from(app.spec.replicas).unwrap_or(0);
    let ready = health.ready();
    if matches!(aim, Some(Aim::Uninstall)) {
        return says("Ready", Truth::False, "Uninstalling", "the application is being removed");
    }
    if wanted == 0 {
        return says("Ready", Truth::False, "NoInstances", "spec.replicas is 0");
    }
    if ready >= wanted {
        let version = status.current_version.as_deref().unwrap_or("an unknown version");
        return says(
            "Ready",
            Truth::True,
            "AllReady",
            format!("{ready} of {wanted} instances serve {version}"),
        );
    }
    if let Some(broken) = health.broken() {
        return warns("Ready", Truth::False, "InstanceBroken", broken);
    }
    says("Ready", Truth::False, "NotAllReady", format!("{ready} of {wanted} instances are ready"))
}

fn progressing(app: &ExampleApp, outcome: &Outcome<'_>, status: &ExampleAppStatus) -> Statement {
    const NAME: &str = "Progressing";
    if let Some(error) = outcome.error {
        return warns(NAME, Truth::False, "CannotApply", error.words());
    }
    if let Some(waiting) = outcome.applied.waiting.first() {
        return says(NAME, Truth::True, "WaitingForDeletion", waiting.clone());
    }
    let course = match &outcome.planned.aim {
        Aim::Run(course) => course,
        Aim::Pause => return says(NAME, Truth::False, "Paused", "spec.paused is true"),
        Aim::Uninstall => return says(NAME, Truth::True, "Uninstalling", "waiting for the instances to end"),
        Aim::Disconnect => return says(NAME, Truth::True, "Disconnecting", "letting go of everything"),
    };
    if let Some(stuck) = &course.stuck {
        return warns(NAME, Truth::False, "RollbackStuck", stuck.clone());
    }
    if let Some(upgrade) = &course.upgrade {
        return upgrading(upgrade);
    }
    let wanted = usize::try_from(app.spec.replicas).unwrap_or(0);
    let health = outcome.health;
    let serving = health.serving(&course.version);
    if health.small_volumes > 0 {
        let (small, all) = (health.small_volumes, outcome.inputs.claims.len());
        let message = format!("{small} of {all} volumes are smaller than {}", app.spec.storage.size.0);
        return says(NAME, Truth::True, "GrowingVolumes", message);
    }
    if serving == wanted && health.instances.len() == wanted && health.rolled_out {
        return says(NAME, Truth::False, "Settled", "");
    }
    let reason = if status.current_version.is_none() { "Installing" } else { "Rolling" };
    says(NAME, Truth::True, reason, format!("{serving} of {wanted} instances are as they should be"))
}

fn upgrading(upgrade: &UpgradeStatus) -> Statement {
    let UpgradeStatus { from, to, phase, cause, .. } = upgrade;
    let words = match phase {
        UpgradePhase::Followers => "the instances that follow are replaced",
        UpgradePhase::Migrating => "writes wait while the data are migrated",
        UpgradePhase::Writer => "the instance that takes the writes is replaced",
        UpgradePhase::Watching => "everything runs the new version and is watched",
        UpgradePhase::ReturningData => "the data go back",
        UpgradePhase::ReturningInstances => "the instances go back",
    };
    match cause {
        None => says("Progressing", Truth::True, "Upgrading", format!("from {from} to {to}: {words}")),
        Some(cause) => {
            let message = format!("from {to} back to {from}: {words}; {}", cause.message);
            warns("Progressing", Truth::True, "RollingBack", message)
        }
    }
}

/// How the last upgrade went.
fn upgraded(app: &ExampleApp, course: &Course) -> Option<Statement> {
    const NAME: &str = "Upgraded";
    if let Some(upgrade) = &course.upgrade {
        let message = format!("from {} to {}", upgrade.from, upgrade.to);
        return Some(says(NAME, Truth::Unknown, "UnderWay", message));
    }
    match &course.ended {
        Some(Ended::Well(version)) => {
            Some(says(NAME, Truth::True, "Succeeded", format!("{version} is in use")))
        }
        Some(Ended::Back(failed)) => {
            let message = format!(
                "{} did not come about and was rolled back to {}: {}; set spec.appVersion to another version, or to {} and back to try again",
                failed.version, course.version, failed.cause.message, course.version
            );
            Some(warns(NAME, Truth::False, "RolledBack", message))
        }
        Some(Ended::Superseded) | None => before(app, NAME),
    }
}

/// What was said before.
fn before(app: &ExampleApp, kind: &'static str) -> Option<Statement> {
    let conditions = &app.status.as_ref()?.conditions;
    let old = conditions.iter().find(|condition| condition.type_ == kind)?;
    let (truth, reason) = match old.reason.as_str() {
        "Succeeded" => (Truth::True, "Succeeded"),
        "RolledBack" => (Truth::False, "RolledBack"),
        "UnderWay" => (Truth::Unknown, "UnderWay"),
        _ => return None,
    };
    Some(Statement { alarming: truth == Truth::False, ..says(kind, truth, reason, old.message.clone()) })
}

fn finish(
    app: &ExampleApp,
    mut status: ExampleAppStatus,
    statements: &[Statement],
    reconciled: Reconciled,
    now: Timestamp,
) -> Report {
    let old = app.status.as_ref().map(|status| status.conditions.clone()).unwrap_or_default();
    // The server keeps whole seconds.
    let now = Time(Timestamp::from_second(now.as_second()).unwrap_or(now));
    let generation = app.metadata.generation;
    let merging = Merging { owned: &OWNED, order: Order::ByType, generation, now: &now };
    status.conditions = merge(&old, statements, merging);
    let status = serde_json::to_value(&status).unwrap_or_default();
    Report { status, notes: notes(&old, statements), remarks: Vec::new(), reconciled, selected: Vec::new() }
}
