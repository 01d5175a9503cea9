//! What a user reads: the status, and events when something about it is new. Pure.

#[cfg(test)]
mod tests;

use api_example::{ExampleApp, ExampleAppStatus, UpgradePhase, UpgradeStatus};
use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::Service;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;
use kernel::apply::Applied;
use kernel::condition::{Statement, Truth, merge};
use kernel::flow::{Invalid, Trouble};
use kernel::object::Key;
use kernel::quantity::Amount;
use kernel::report::{Report, notes};

use crate::gather::{Inputs, SERVICE, STATEFUL_SET};
use crate::instance::{self, Instance};
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
    /// What was to be done.
    pub planned: &'a Planned,
    /// What was done.
    pub applied: &'a Applied,
    /// What failed.
    pub trouble: Option<&'a Trouble>,
}

/// The spec makes no sense.
pub fn invalid(app: &ExampleApp, inputs: &Inputs, invalid: &Invalid, now: Timestamp) -> Report {
    let status = observed(app, inputs, None);
    let statements = vec![
        warns("Accepted", Truth::False, invalid.reason, invalid.message.clone()),
        readiness(app, inputs, &status, None),
    ];
    finish(app, status, &statements, now)
}

/// Something could not be read.
pub fn blind(app: &ExampleApp, trouble: &Trouble, now: Timestamp) -> Report {
    let status = app.status.clone().unwrap_or_default();
    let statements = vec![warns("Progressing", Truth::False, "CannotLook", trouble.words())];
    // What was said before still holds as far as we know.
    let mut report = finish(app, status.clone(), &statements, now);
    if let Some(new) = report.status["conditions"].as_array_mut() {
        let kept = status.conditions.iter().filter(|condition| condition.type_ != "Progressing");
        new.extend(kept.filter_map(|condition| serde_json::to_value(condition).ok()));
        new.sort_by_key(|condition| condition["type"].as_str().map(String::from));
    }
    report
}

/// The spec was carried out, as far as that went.
pub fn done(app: &ExampleApp, outcome: &Outcome<'_>, now: Timestamp) -> Report {
    let Outcome { inputs, planned, .. } = outcome;
    let mut status = observed(app, inputs, Some(outcome.applied));
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
    statements.push(readiness(app, inputs, &status, Some(&planned.aim)));
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
    finish(app, status, &statements, now)
}

/// What can be seen, and what was just written.
fn observed(app: &ExampleApp, inputs: &Inputs, applied: Option<&Applied>) -> ExampleAppStatus {
    let (name, namespace) = (
        app.metadata.name.as_deref().unwrap_or_default(),
        app.metadata.namespace.as_deref().unwrap_or_default(),
    );
    let old = app.status.clone().unwrap_or_default();
    let instances = instance::all(&inputs.pods);
    let writer =
        instances.iter().find(|instance| instance.number == 0 && instance.ready && !instance.leaving);
    let in_use = writer.and_then(|writer| writer.version.clone());
    let written = applied.and_then(|applied| applied.objects.get(&(SERVICE, Key::of(&app.metadata))));
    let service = written
        .and_then(|service| service.read::<Service>().ok())
        .or_else(|| Some(inputs.service.as_ref()?.object.clone()));
    let port = service.and_then(|service| Some(service.spec?.ports?.first()?.port));
    let port = port.filter(|port| *port != 80).map(|port| format!(":{port}")).unwrap_or_default();
    let selector: Vec<String> =
        inputs.frame.selector.iter().map(|(key, value)| format!("{key}={value}")).collect();
    let count = |ready: bool| {
        i32::try_from(instances.iter().filter(|instance| !ready || instance.ready).count()).ok()
    };
    ExampleAppStatus {
        current_version: in_use.or(old.current_version),
        url: Some(format!("http://{name}.{namespace}.svc{port}/")),
        auth_secret_name: Some(inputs.frame.secret.clone()),
        backup: old.backup,
        upgrade: old.upgrade,
        failed_upgrade: old.failed_upgrade,
        adopted: inputs.frame.to_remember(name),
        replicas: count(false),
        ready_replicas: count(true),
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

fn readiness(app: &ExampleApp, inputs: &Inputs, status: &ExampleAppStatus, aim: Option<&Aim>) -> Statement {
    let wanted = usize::try_from(app.spec.replicas).unwrap_or(0);
    let instances = instance::all(&inputs.pods);
    let ready = instances.iter().filter(|instance| instance.ready && !instance.leaving).count();
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
    if let Some(broken) = instances.iter().find_map(|instance: &Instance| instance.broken.clone()) {
        return warns("Ready", Truth::False, "InstanceBroken", broken);
    }
    says("Ready", Truth::False, "NotAllReady", format!("{ready} of {wanted} instances are ready"))
}

fn progressing(app: &ExampleApp, outcome: &Outcome<'_>, status: &ExampleAppStatus) -> Statement {
    const NAME: &str = "Progressing";
    if let Some(trouble) = outcome.trouble {
        return warns(NAME, Truth::False, "CannotApply", trouble.words());
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
    let instances = instance::all(&outcome.inputs.pods);
    let serving = instances.iter().filter(|instance| instance.serves(&course.version)).count();
    let (all, rolled) = (serving == wanted && instances.len() == wanted, rolled_out(app, outcome.applied));
    if let Some(message) = smaller(outcome.inputs, app) {
        return says(NAME, Truth::True, "GrowingVolumes", message);
    }
    if all && rolled {
        return says(NAME, Truth::False, "Settled", "");
    }
    let reason = if status.current_version.is_none() { "Installing" } else { "Rolling" };
    says(NAME, Truth::True, reason, format!("{serving} of {wanted} instances are as they should be"))
}

/// Whether the instances are made of the template as it was just written, all of them.
fn rolled_out(app: &ExampleApp, applied: &Applied) -> bool {
    let set = applied.objects.get(&(STATEFUL_SET, Key::of(&app.metadata)));
    let Some(set) = set.and_then(|set| set.read::<StatefulSet>().ok()) else { return false };
    let Some(status) = &set.status else { return false };
    let seen = status.observed_generation == set.metadata.generation;
    // A template that was changed and changed back has one revision again, before its pods do.
    let all = status.updated_replicas.unwrap_or(0) == status.replicas;
    seen && all && status.update_revision.is_some() && status.current_revision == status.update_revision
}

fn smaller(inputs: &Inputs, app: &ExampleApp) -> Option<String> {
    let wanted = Amount::parse(&app.spec.storage.size.0)?;
    let present = |claim: &k8s_openapi::api::core::v1::PersistentVolumeClaim| {
        Amount::parse(&claim.status.as_ref()?.capacity.as_ref()?.get("storage")?.0)
    };
    let small =
        inputs.claims.iter().filter(|claim| present(claim).is_some_and(|present| present < wanted)).count();
    (small > 0).then(|| {
        format!("{small} of {} volumes are smaller than {}", inputs.claims.len(), app.spec.storage.size.0)
    })
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
    now: Timestamp,
) -> Report {
    let old = app.status.as_ref().map(|status| status.conditions.clone()).unwrap_or_default();
    // The server keeps whole seconds.
    let now = Time(Timestamp::from_second(now.as_second()).unwrap_or(now));
    status.conditions = merge(&old, statements, &OWNED, app.metadata.generation, &now);
    Report { status: serde_json::to_value(&status).unwrap_or_default(), notes: notes(&old, statements) }
}
