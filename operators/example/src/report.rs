//! The status, and events about its changes. Pure.

use api_example::{ExampleApp, ExampleAppStatus, UpgradePhase, UpgradeStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use k8s_openapi::jiff::Timestamp;
use kernel::condition::{Merging, Order, Statement, Truth, merge};
use kernel::flow::PassResult;
use kernel::object::Key;
use kernel::report::{Note, Reconciled, Report, notes};

use crate::ExampleOperator;
use crate::condition::{ConditionType, Reason};
use crate::gather::Inputs;
use crate::observe::Health;
use crate::plan::{Course, Operation};
use crate::upgrade::{Ended, Rollout};
use crate::validate::IgnoredField;

fn says(kind: ConditionType, truth: Truth, reason: Reason, message: impl Into<String>) -> Statement {
    let (kind, reason) = (kind.as_str(), reason.as_str());
    Statement { kind, truth, reason, message: message.into(), alarming: false }
}

fn warns(kind: ConditionType, truth: Truth, reason: Reason, message: impl Into<String>) -> Statement {
    Statement { alarming: true, ..says(kind, truth, reason, message) }
}

/// The status and events of a pass.
pub fn report(app: &ExampleApp, result: &PassResult<'_, ExampleOperator>, now: Timestamp) -> Report {
    match result {
        PassResult::Unread(error) => {
            let status = app.status.clone().unwrap_or_default();
            // The other conditions may still be true.
            let statement =
                warns(ConditionType::Progressing, Truth::False, Reason::CannotLook, error.with_causes());
            let report = finish(app, status, &[ConditionType::Progressing], &[statement], now);
            Report { reconciled: Reconciled::Failed, ..report }
        }
        PassResult::Invalid { inputs, invalid, health } => {
            let status = status(app, inputs, health);
            let accepted = Statement {
                kind: ConditionType::Accepted.as_str(),
                truth: Truth::False,
                reason: invalid.reason,
                message: invalid.message.clone(),
                alarming: true,
            };
            let statements = [accepted, readiness(app, health, &status)];
            Report {
                reconciled: Reconciled::Invalid,
                ..finish(app, status, &ConditionType::ALL, &statements, now)
            }
        }
        PassResult::Applied { inputs, plan, applied, health, error } => {
            let course = &plan.course;
            let mut status = status(app, inputs, health);
            let mut statements = vec![accepted(&course.ignored)];
            if let Operation::Run(rollout) = &course.operation {
                status.upgrade.clone_from(&rollout.upgrade);
                match &rollout.ended {
                    Some(Ended::RolledBack(failed)) => status.failed_upgrade = Some(failed.clone()),
                    Some(Ended::Succeeded(_) | Ended::Superseded) => status.failed_upgrade = None,
                    None => {}
                }
            }
            statements.extend(upgraded(app, &course.operation));
            statements.push(match course.operation {
                Operation::Uninstall => {
                    let message = "the application is being removed";
                    says(ConditionType::Ready, Truth::False, Reason::Uninstalling, message)
                }
                Operation::Run(_) | Operation::Pause | Operation::Disconnect => {
                    readiness(app, health, &status)
                }
            });
            statements.push(match (error, applied.waiting.first()) {
                (Some(error), _) => {
                    warns(ConditionType::Progressing, Truth::False, Reason::CannotApply, error.with_causes())
                }
                (None, Some(waiting)) => {
                    says(ConditionType::Progressing, Truth::True, Reason::WaitingForDeletion, waiting.clone())
                }
                (None, None) => progressing(app, course, &course.actions.remarks(applied), health, &status),
            });
            statements.extend(optional(app, &course.operation));
            let mut report = finish(app, status, &ConditionType::ALL, &statements, now);
            if error.is_some() {
                report.reconciled = Reconciled::Failed;
            }
            report.notes.extend(course.actions.events(applied));
            report
        }
    }
}

/// The new status, with the old conditions.
fn status(app: &ExampleApp, inputs: &Inputs, health: &Health) -> ExampleAppStatus {
    let Key { namespace, name } = Key::of(&app.metadata);
    let old = app.status.clone().unwrap_or_default();
    let port = health.port.filter(|port| *port != 80).map(|port| format!(":{port}")).unwrap_or_default();
    let selector: Vec<String> =
        inputs.names.selector.iter().map(|(key, value)| format!("{key}={value}")).collect();
    let ready = health.instances.iter().filter(|instance| instance.health.is_ready).count();
    ExampleAppStatus {
        current_version: health.version().or(old.current_version),
        url: Some(format!("http://{name}.{namespace}.svc{port}/")),
        auth_secret_name: Some(inputs.names.secret.clone()),
        adopted: inputs.names.to_record(&name),
        replicas: i32::try_from(health.instances.len()).ok(),
        ready_replicas: i32::try_from(ready).ok(),
        selector: Some(selector.join(",")),
        observed_generation: app.metadata.generation,
        ..old
    }
}

fn accepted(ignored: &[IgnoredField]) -> Statement {
    match ignored.first() {
        None => says(ConditionType::Accepted, Truth::True, Reason::Accepted, ""),
        Some(first) => {
            let all: Vec<&str> = ignored.iter().map(|ignored| ignored.message.as_str()).collect();
            warns(ConditionType::Accepted, Truth::False, first.reason, all.join("; "))
        }
    }
}

fn readiness(app: &ExampleApp, health: &Health, status: &ExampleAppStatus) -> Statement {
    let (wanted, ready) = (wanted(app), health.ready());
    if wanted == 0 {
        return says(ConditionType::Ready, Truth::False, Reason::NoInstances, "spec.replicas is 0");
    }
    if ready >= wanted {
        let version = status.current_version.as_deref().unwrap_or("an unknown version");
        let message = format!("{ready} of {wanted} instances serve {version}");
        return says(ConditionType::Ready, Truth::True, Reason::AllReady, message);
    }
    if let Some(failure) = health.failure() {
        return warns(ConditionType::Ready, Truth::False, Reason::InstanceBroken, failure);
    }
    let message = format!("{ready} of {wanted} instances are ready");
    says(ConditionType::Ready, Truth::False, Reason::NotAllReady, message)
}

fn wanted(app: &ExampleApp) -> usize {
    usize::try_from(app.spec.replicas).unwrap_or(0)
}

fn progressing(
    app: &ExampleApp,
    course: &Course,
    remarks: &[String],
    health: &Health,
    status: &ExampleAppStatus,
) -> Statement {
    let says = |truth: Truth, reason: Reason, message: &str| {
        says(ConditionType::Progressing, truth, reason, message)
    };
    let rollout = match &course.operation {
        Operation::Run(rollout) => rollout,
        Operation::Pause => return says(Truth::False, Reason::Paused, "spec.paused is true"),
        Operation::Uninstall => {
            return says(Truth::True, Reason::Uninstalling, "waiting for the instances to stop");
        }
        Operation::Disconnect => {
            return says(Truth::True, Reason::Disconnecting, "removing labels and owner references");
        }
    };
    if let Some(stuck) = &rollout.stuck {
        return warns(ConditionType::Progressing, Truth::False, Reason::RollbackStuck, stuck.clone());
    }
    if let Some(upgrade) = &rollout.upgrade {
        return upgrading(upgrade);
    }
    if course.small_volumes > 0 {
        let mut message = format!("{} volumes are growing", course.small_volumes);
        for remark in remarks {
            message = format!("{message}; {remark}");
        }
        return says(Truth::True, Reason::GrowingVolumes, &message);
    }
    let (wanted, serving) = (wanted(app), health.serving(&rollout.version));
    if serving == wanted && health.instances.len() == wanted && health.is_rolled_out {
        return says(Truth::False, Reason::Settled, "");
    }
    let reason = if status.current_version.is_none() { Reason::Installing } else { Reason::Rolling };
    says(Truth::True, reason, &format!("{serving} of {wanted} instances are up to date"))
}

fn upgrading(upgrade: &UpgradeStatus) -> Statement {
    let UpgradeStatus { from, to, phase, cause, .. } = upgrade;
    let now = match phase {
        UpgradePhase::Followers => "the instances that follow are replaced",
        UpgradePhase::Migrating => "writes are held while the data are migrated",
        UpgradePhase::Writer => "the instance that takes the writes is replaced",
        UpgradePhase::Watching => "all instances run the new version and are watched",
        UpgradePhase::ReturningData => "the data are migrated back",
        UpgradePhase::ReturningInstances => "the instances are replaced with the previous version",
    };
    match cause {
        None => {
            let message = format!("from {from} to {to}: {now}");
            says(ConditionType::Progressing, Truth::True, Reason::Upgrading, message)
        }
        Some(cause) => {
            let message = format!("from {to} back to {from}: {now}; {}", cause.message);
            warns(ConditionType::Progressing, Truth::True, Reason::RollingBack, message)
        }
    }
}

/// How the last upgrade went.
fn upgraded(app: &ExampleApp, operation: &Operation) -> Option<Statement> {
    let rollout = match operation {
        Operation::Run(rollout) => &**rollout,
        Operation::Pause | Operation::Uninstall | Operation::Disconnect => &Rollout::default(),
    };
    if let Some(upgrade) = &rollout.upgrade {
        let message = format!("from {} to {}", upgrade.from, upgrade.to);
        return Some(says(ConditionType::Upgraded, Truth::Unknown, Reason::UnderWay, message));
    }
    match &rollout.ended {
        Some(Ended::Succeeded(version)) => {
            let message = format!("{version} is in use");
            Some(says(ConditionType::Upgraded, Truth::True, Reason::Succeeded, message))
        }
        Some(Ended::RolledBack(failed)) => {
            let (version, cause, before) = (&failed.version, &failed.cause.message, &rollout.version);
            let message = format!(
                "the upgrade to {version} was rolled back to {before}: {cause}; set spec.appVersion to another version, \
                 or to {before} and back to try again"
            );
            Some(warns(ConditionType::Upgraded, Truth::False, Reason::RolledBack, message))
        }
        Some(Ended::Superseded) | None => previous(app),
    }
}

/// The condition in the status about the last upgrade.
fn previous(app: &ExampleApp) -> Option<Statement> {
    let conditions = &app.status.as_ref()?.conditions;
    let old = conditions.iter().find(|condition| condition.type_ == ConditionType::Upgraded.as_str())?;
    let known = [
        (Truth::True, Reason::Succeeded),
        (Truth::False, Reason::RolledBack),
        (Truth::Unknown, Reason::UnderWay),
    ];
    let (truth, reason) = known.into_iter().find(|(_, reason)| reason.as_str() == old.reason)?;
    let statement = says(ConditionType::Upgraded, truth, reason, old.message.clone());
    Some(Statement { alarming: truth == Truth::False, ..statement })
}

/// The conditions that exist only if the user enabled something.
fn optional(app: &ExampleApp, operation: &Operation) -> impl Iterator<Item = Statement> {
    let paused = (*operation == Operation::Pause).then(|| {
        let message = "spec.paused is true: nothing is changed until it is false";
        says(ConditionType::Paused, Truth::True, Reason::PausedByUser, message)
    });
    let is_enabled = app.spec.backup.as_ref().is_some_and(|backup| backup.enabled);
    let backed_up = is_enabled.then(|| {
        let message =
            "spec.backup.enabled is true, but this version of the operator takes no backups: take your own";
        warns(ConditionType::BackedUp, Truth::False, Reason::NotTaken, message)
    });
    paused.into_iter().chain(backed_up)
}

/// The report with these conditions. Those of `owned` that are not stated are removed.
fn finish(
    app: &ExampleApp,
    mut status: ExampleAppStatus,
    owned: &[ConditionType],
    statements: &[Statement],
    now: Timestamp,
) -> Report {
    let old: Vec<Condition> = app.status.as_ref().map(|status| status.conditions.clone()).unwrap_or_default();
    // The server keeps whole seconds.
    let now = Time(Timestamp::from_second(now.as_second()).unwrap_or(now));
    let owned: Vec<&str> = owned.iter().map(|kind| kind.as_str()).collect();
    let merging =
        Merging { owned: &owned, order: Order::ByType, generation: app.metadata.generation, now: &now };
    status.conditions = merge(&old, statements, merging);
    let notes: Vec<Note> = notes(&old, statements);
    let status = serde_json::to_value(&status).unwrap_or_default();
    Report { status, notes, remarks: Vec::new(), reconciled: Reconciled::Done, selected: Vec::new() }
}
