//! Who waits for what, and what readiness says about it.

mod memory;

use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret};

use super::*;
use crate::declare::Watched;

const fn looks_at(kind: Kind, optional: bool) -> Watched {
    Watched {
        kind,
        concerns: |_| None,
        selector: None,
        detail: Detail::Full,
        trim: |_| (),
        optional,
        why: "a test",
    }
}

const PRIMARY: Kind = Kind::of::<ConfigMap>();
const NEEDED: Kind = Kind::of::<Secret>();
const OPTIONAL: Kind = Kind::of::<Pod>();
static ONE: Declaration = Declaration {
    name: "one",
    primary: PRIMARY,
    finalizer: "test",
    owned: &[],
    watched: &[looks_at(NEEDED, false), looks_at(OPTIONAL, true)],
    permissions: &[],
    predecessors: &[],
    status_manager: None,
};

fn state((kind, progress): (Kind, Progress)) -> WatchState {
    WatchState { kind, namespace: None, progress, trouble: None }
}

#[test]
fn a_controller_that_sees_its_resources_and_not_what_it_needs_is_not_ready() {
    use Progress::{Complete, Listing, Off};
    let rows = [
        ([Complete, Complete, Off], true, None),
        ([Complete, Off, Complete], false, Some(NEEDED)),
        ([Complete, Listing, Complete], false, None),
        // It is not wanted here, and nobody waits for it.
        ([Off, Off, Off], false, None),
    ];
    for (progress, is_known, lacking) in rows {
        let watch_states: Vec<WatchState> =
            [PRIMARY, NEEDED, OPTIONAL].into_iter().zip(progress).map(state).collect();
        assert_eq!(knows(&ONE, &watch_states), is_known, "{progress:?}");
        assert_eq!(lacks(&ONE, &watch_states).map(|one| one.kind), lacking, "{progress:?}");
    }
    assert_eq!(lacks(&ONE, &[state((NEEDED, Off))]), None);
}

#[test]
fn what_is_asked_for_by_name_is_waited_for() {
    assert_eq!(progress(Some(403), true), Progress::Listing);
    assert_eq!(progress(Some(403), false), Progress::Off);
    assert_eq!(progress(Some(404), true), Progress::Off);
    assert_eq!(progress(None, false), Progress::Listing);
}

#[test]
fn namespaces_are_asked_for_wherever_anything_is_looked_for() {
    let only = |names: &[&str]| Namespaces::Only(names.iter().map(|name| (*name).to_owned()).collect());
    let mut scopes = Scopes::from(only(&["b", "a"]));
    scopes.some.insert(NEEDED, only(&["c", "a"]));
    scopes.some.insert(OPTIONAL, Namespaces::AllBut(vec!["d".into()]));
    assert_eq!(scopes.named(), ["a", "b", "c"]);
}

#[test]
fn a_kind_is_settled_when_it_is_known_or_known_to_be_absent() {
    let scopes = Scopes::from(Namespaces::Only(vec!["a".into(), "b".into()]));
    let stores = Stores::new(&[&ONE], "test", &scopes);
    let partitions: Vec<&Partition> =
        stores.iter().filter(|(kind, _)| *kind == OPTIONAL).map(|(_, partition)| partition).collect();
    assert!(!stores.is_settled(OPTIONAL));
    partitions[0].objects.write().see(crate::store::Event::Begin);
    partitions[0].objects.write().see(crate::store::Event::Complete);
    assert!(!stores.is_settled(OPTIONAL), "the other one is not known");
    partitions[1].is_absent.store(true, Ordering::Relaxed);
    assert!(stores.is_settled(OPTIONAL));
}

#[tokio::test(start_paused = true)]
async fn one_that_waits_keeps_each_key_once() {
    let (keys, mut receiver) = mpsc::unbounded_channel();
    let [one, two] = ["a", "b"].map(|name| Key::new("n", name));
    let begin = async {
        for key in [&one, &two, &one, &one] {
            keys.send(key.clone()).unwrap();
        }
        crate::clock::until(Some(crate::clock::now() + Duration::from_secs(1))).await;
    };
    let due = meanwhile(begin, &mut receiver).await;
    assert_eq!(due, BTreeSet::from([one.clone(), two.clone()]));
    assert!(receiver.is_empty());
}

const fn labelled(selector: &'static str) -> Watched {
    Watched { selector: Some(selector), ..looks_at(OPTIONAL, true) }
}

#[test]
fn a_watch_is_as_wide_as_the_widest_wants() {
    static NARROW: Declaration = Declaration { name: "narrow", watched: &[labelled("team=a")], ..ONE };
    static SAME: Declaration = Declaration { name: "same", watched: &[labelled("team=a")], ..ONE };
    static OTHER: Declaration = Declaration { name: "other", watched: &[labelled("team=b")], ..ONE };
    static WIDE: Declaration = Declaration { name: "wide", watched: &[looks_at(OPTIONAL, true)], ..ONE };
    static OWNER: Declaration = Declaration { name: "owner", primary: OPTIONAL, watched: &[], ..ONE };
    let rows: [(&[&'static Declaration], Option<&str>); 5] = [
        (&[&NARROW], Some("team=a")),
        (&[&NARROW, &SAME], Some("team=a")),
        (&[&NARROW, &OTHER], None),
        (&[&NARROW, &WIDE], None),
        (&[&OWNER, &NARROW], None),
    ];
    for (declarations, expected) in rows {
        let stores = Stores::new(declarations, "test", &Namespaces::AllBut(Vec::new()).into());
        let names: Vec<&str> = declarations.iter().map(|one| one.name).collect();
        assert_eq!(stores.selector(OPTIONAL), expected, "{names:?}");
        assert!(!stores.is_filtered(OPTIONAL), "absence means absence");
        assert_eq!(stores.selector(NEEDED), None);
    }
}

#[test]
fn what_operators_need_and_what_users_let_them_see_are_asked_for_together() {
    assert_eq!(both(None, None), None);
    assert_eq!(both(Some("a"), None).as_deref(), Some("a"));
    assert_eq!(both(None, Some("b=c")).as_deref(), Some("b=c"));
    assert_eq!(both(Some("a in (x,y)"), Some("b=c")).as_deref(), Some("a in (x,y),b=c"));
}
