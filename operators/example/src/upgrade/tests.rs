//! Single decisions. [`simulation`] runs whole upgrades.

mod simulation;

use super::*;

/// An upgrade from 0.0.1 to 0.0.2 of one instance, in a phase.
fn facts(phase: Phase, migration: JobState, migration_back: JobState) -> UpgradeFacts {
    UpgradeFacts {
        current: Some("0.0.1".into()),
        wanted: "0.0.2".into(),
        image: None,
        replicas: 1,
        instances: Vec::new(),
        upgrade: Some(UpgradeStatus {
            from: "0.0.1".into(),
            to: "0.0.2".into(),
            phase,
            since: Time(Timestamp::UNIX_EPOCH),
            cause: Some(cause(Reason::InstanceBroken, "it broke".into())),
        }),
        failed: None,
        writes: Writes::Moved,
        migration,
        migration_back,
        deadline: 60,
        timing: Timing::default(),
    }
}

fn migrations(facts: &UpgradeFacts) -> (Option<Phase>, Vec<bool>) {
    let rollout = next(facts, Timestamp::UNIX_EPOCH);
    let migrations = rollout.migrations.iter().map(|migration| migration.is_back).collect();
    (rollout.upgrade.map(|upgrade| upgrade.phase), migrations)
}

#[test]
fn a_job_is_kept_until_the_status_records_what_it_did() {
    use Phase::{Migrating, ReturningData, ReturningInstances};
    let returned = facts(ReturningData, JobState::Absent, JobState::Done);
    assert_eq!(migrations(&returned), (Some(ReturningInstances), vec![true]));
    let failed = facts(Migrating, JobState::Failed("no".into()), JobState::Absent);
    assert_eq!(migrations(&failed), (Some(ReturningInstances), vec![false]));
    let in_status = facts(ReturningInstances, JobState::Absent, JobState::Absent);
    assert_eq!(migrations(&in_status), (Some(ReturningInstances), vec![]), "and none is created again");
}

#[test]
fn no_pod_is_replaced_while_its_data_may_be_of_another_version() {
    for (phase, expected) in [
        (Phase::Followers, false),
        (Phase::Migrating, false),
        (Phase::Writer, false),
        (Phase::Watching, false),
        (Phase::ReturningData, false),
        (Phase::ReturningInstances, true),
    ] {
        let facts = UpgradeFacts { deadline: i64::MAX, ..facts(phase, JobState::Absent, JobState::Absent) };
        assert_eq!(next(&facts, Timestamp::UNIX_EPOCH).is_safe_to_replace(), expected, "{phase:?}");
    }
    assert!(Rollout::settled("0.0.1").is_safe_to_replace());
}
