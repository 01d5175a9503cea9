//! Whatever the user changes, and whoever acts first: in the end all pods are as he wants them, and never has the operator
//! taken down more than one that served.

use proptest::prelude::*;

use super::model::{ACTORS, Actor, Setup, Wish, World};

/// More than the longest way that was seen.
const ROUNDS: usize = 200;

fn wish() -> impl Strategy<Value = Wish> {
    let template = prop::sample::select(vec![None, Some("data"), Some("db")]);
    let service = prop::sample::select(vec!["service", "other"]);
    let label = prop::sample::select(vec!["toy", "game"]);
    (0..4_u8, 0..5_i32, template, service, label, any::<bool>()).prop_map(
        |(image, replicas, template, service, label, ordered)| Wish {
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

/// Lets everybody act until nothing happens any more.
fn rest(world: &mut World, mut check: impl FnMut(&World)) {
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
    panic!("it never ends: {world:?}");
}

proptest! {
    /// A change at a time: one that works is fulfilled, one that does not takes down one pod and no more.
    #[test]
    fn a_change_at_a_time_is_fulfilled_and_takes_down_one_pod_at_most(
        wishes in prop::collection::vec(wish(), 1..6),
        setup in setup(),
    ) {
        let mut world = World::new(wishes[0].clone(), setup);
        for wish in wishes {
            let works = wish.image.is_multiple_of(2);
            world.wish(wish);
            rest(&mut world, |world| assert!(world.down.len() <= 1, "{world:?}"));
            prop_assert!(!works || world.is_fulfilled(), "{:?}", world);
        }
    }

    /// Changes at any moment.
    #[test]
    fn the_last_change_is_fulfilled_whenever_it_comes(
        history in prop::collection::vec((wish(), prop::collection::vec(actor(), 0..20)), 1..8),
        mut last in wish(),
        setup in setup(),
    ) {
        last.image = 0;
        let mut world = World::new(last.clone(), setup);
        for (wish, actors) in history {
            world.wish(wish);
            for actor in actors {
                world.act(actor);
                prop_assert!(!world.is_impatient, "{:?}", world);
            }
        }
        world.wish(last);
        rest(&mut world, |world| assert!(!world.is_impatient, "{world:?}"));
        prop_assert!(world.is_fulfilled(), "{:?}", world);
    }
}
