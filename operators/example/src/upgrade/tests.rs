use api_example::{UpgradePhase, UpgradeStatus};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;

use super::*;

/// An upgrade from 0.0.1 to 0.0.2 of one instance, in a phase.
fn facts(phase: UpgradePhase, migration: JobState, way_back: JobState) -> Facts {
    Facts {
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
            cause: Some(UpgradeCause { reason: "InstanceBroken".into(), message: "it broke".into() }),
        }),
        failed: None,
        gate: Gate::Moved,
        migration,
        way_back,
        deadline: 60,
        pace: Pace::default(),
    }
}

fn errands(facts: &Facts) -> (Option<UpgradePhase>, Vec<bool>) {
    let course = course(facts, Timestamp::UNIX_EPOCH);
    (course.upgrade.map(|upgrade| upgrade.phase), course.errands.iter().map(|errand| errand.back).collect())
}

#[test]
fn a_job_is_kept_until_what_it_did_is_remembered() {
    use UpgradePhase::{Migrating, ReturningData, ReturningInstances};
    let returned = facts(ReturningData, JobState::Absent, JobState::Done);
    assert_eq!(errands(&returned), (Some(ReturningInstances), vec![true]));
    let failed = facts(Migrating, JobState::Failed("no".into()), JobState::Absent);
    assert_eq!(errands(&failed), (Some(ReturningInstances), vec![false]));
    let remembered = facts(ReturningInstances, JobState::Absent, JobState::Absent);
    assert_eq!(errands(&remembered), (Some(ReturningInstances), vec![]), "and none is made again");
}
