use super::*;
use crate::migrate::Migration;
use crate::store::open_current;
use crate::version::Version;

fn gate(hold_limit: Duration) -> (tempfile::TempDir, Volume, Gate) {
    let directory = tempfile::tempdir().unwrap();
    let volume = Volume::at(directory.path());
    let (store, generation) = open_current(&volume, Version::V0_0_1).unwrap();
    let gate = Gate::new(Arc::new(store), volume.clone(), generation, hold_limit);
    (directory, volume, gate)
}

const LONG: Duration = Duration::from_mins(1);

#[tokio::test]
async fn a_held_write_is_executed_after_the_release() {
    let (_directory, _volume, gate) = gate(LONG);
    gate.hold(LONG).await.unwrap();
    let write = gate.pass(|store| store.put("a", b"1".into()));
    let release = async {
        clock::wait_for(LONG, Duration::from_millis(5), || async { (gate.waiting() == 1).then_some(()) })
            .await;
        gate.release().await
    };
    let (written, state) = tokio::join!(write, release);
    assert_eq!((written.unwrap().revision, state, gate.waiting()), (1, State::Open, 0));
}

#[tokio::test]
async fn a_write_held_until_the_limit_is_refused_and_not_written() {
    let (_directory, _volume, gate) = gate(Duration::from_millis(20));
    gate.hold(LONG).await.unwrap();
    let refused = gate.pass(|store| store.put("a", b"1".into())).await;
    assert!(matches!(refused, Err(GateError::StillHeld)));
    gate.release().await;
    assert_eq!(gate.pass(|store| store.put("a", b"1".into())).await.unwrap().revision, 1);
    gate.close();
    assert!(matches!(gate.pass(|store| store.put("a", b"1".into())).await, Err(GateError::Closing)));
}

#[tokio::test]
async fn the_gate_opens_when_the_hold_expires() {
    let (_directory, _volume, gate) = gate(LONG);
    gate.hold(Duration::from_millis(10)).await.unwrap();
    let write = gate.pass(|store| store.put("a", b"1".into()));
    tokio::select! {
        written = write => assert_eq!(written.unwrap().revision, 1),
        () = gate.watch() => {}
    }
}

#[tokio::test]
async fn after_a_migration_the_old_data_are_not_written_until_it_is_reverted() {
    let (_directory, volume, gate) = gate(Duration::from_millis(50));
    gate.pass(|store| store.put("a", b"1".into())).await.unwrap();
    gate.hold(LONG).await.unwrap();
    Migration::of(volume.clone()).forward(Version::V0_0_2).unwrap();
    assert_eq!(gate.release().await, State::Moved);
    assert!(matches!(gate.pass(|store| store.put("a", b"2".into())).await, Err(GateError::StillHeld)));
    Migration::of(volume).back(Some(Version::V0_0_1), false).unwrap();
    assert_eq!(gate.release().await, State::Open);
    assert_eq!(gate.pass(|store| store.put("a", b"2".into())).await.unwrap().revision, 2);
}
