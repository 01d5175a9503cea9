//! For any change of the user and any order of the components, all pods reach the desired state, and the operator never
//! removes more than one ready pod at a time.

use proptest::prelude::*;

use super::model::{ACTORS, Actor, DesiredState, Setup, World};

/// More rounds than any case has needed.
const ROUNDS: usize = 200;

fn desired_state() -> impl Strategy<Value = DesiredState> {
    let template = prop::sample::select(vec![None, Some("data"), Some("db")]);
    let service = prop::sample::select(vec!["service", "other"]);
    let label = prop::sample::select(vec!["toy", "game"]);
    (0..4_u8, 0..5_i32, template, service, label, any::<bool>()).prop_map(
        |(image, replicas, template, service, label, ordered)| DesiredState {
            image,
            replicas,
            template,
            service,
            label,
            ordered,
        },
    )
}

fn setup() -> impl Strategy<Value = Setup> {
    (any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(may_patch, counts_unavailable, in_batches)| {
        Setup { may_patch, counts_unavailable, in_batches }
    })
}

fn actor() -> impl Strategy<Value = Actor> {
    prop::sample::select(&ACTORS[..])
}

/// Lets all components act until nothing changes any more.
fn settle(world: &mut World, mut check: impl FnMut(&World)) {
    for _ in 0..ROUNDS {
        let before = world.fingerprint();
        for actor in ACTORS {
            world.act(actor);
            check(world);
        }
        if world.fingerprint() == before {
            return;
        }
    }
    panic!("the state never settles: {world:?}");
}

proptest! {
    /// One change at a time: a valid one is rolled out, an invalid one affects only one pod.
    #[test]
    fn one_change_at_a_time_is_rolled_out_and_affects_one_pod_at_most(
        changes in prop::collection::vec(desired_state(), 1..6),
        setup in setup(),
    ) {
        let mut world = World::new(changes[0].clone(), setup);
        for change in changes {
            let works = change.image.is_multiple_of(2);
            world.set_desired(change);
            settle(&mut world, |world| assert!(world.down.len() <= 1, "{world:?}"));
            prop_assert!(!works || world.is_reached(), "{:?}", world);
        }
    }

    /// Changes at any moment.
    #[test]
    fn the_last_change_is_always_rolled_out(
        history in prop::collection::vec((desired_state(), prop::collection::vec(actor(), 0..20)), 1..8),
        mut last in desired_state(),
        setup in setup(),
    ) {
        last.image = 0;
        let mut world = World::new(last.clone(), setup);
        for (change, actors) in history {
            world.set_desired(change);
            for actor in actors {
                world.act(actor);
                prop_assert!(!world.is_impatient, "{:?}", world);
            }
        }
        world.set_desired(last);
        settle(&mut world, |world| assert!(!world.is_impatient, "{world:?}"));
        prop_assert!(world.is_reached(), "{:?}", world);
    }
}
