//! Which kinds a controller waits for, and what readiness reports about it.

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
fn a_controller_that_lacks_a_required_kind_is_not_ready() {
    use Progress::{Complete, Listing, Off};
    let rows = [
        ([Complete, Complete, Off], true, None),
        ([Complete, Off, Complete], false, Some(NEEDED)),
        ([Complete, Listing, Complete], false, None),
        // Its resources cannot be listed either, so it is not meant to run here.
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
fn objects_that_are_read_by_name_are_waited_for() {
    assert_eq!(progress(Some(403), true), Progress::Listing);
    assert_eq!(progress(Some(403), false), Progress::Off);
    assert_eq!(progress(Some(404), true), Progress::Off);
    assert_eq!(progress(None, false), Progress::Listing);
}

#[test]
fn the_named_namespaces_of_all_kinds_are_read() {
    let only = |names: &[&str]| Namespaces::Only(names.iter().map(|name| (*name).to_owned()).collect());
    let mut scopes = Scopes::from(only(&["b", "a"]));
    scopes.some.insert(NEEDED, only(&["c", "a"]));
    scopes.some.insert(OPTIONAL, Namespaces::AllBut(vec!["d".into()]));
    assert_eq!(scopes.named(), ["a", "b", "c"]);
}

#[test]
fn a_kind_is_settled_when_it_is_listed_or_does_not_exist() {
    let scopes = Scopes::from(Namespaces::Only(vec!["a".into(), "b".into()]));
    let stores = Stores::new(&[&ONE], "test", &scopes);
    let partitions: Vec<&Partition> =
        stores.iter().filter(|(kind, _)| *kind == OPTIONAL).map(|(_, partition)| partition).collect();
    assert!(!stores.is_settled(OPTIONAL));
    partitions[0].objects.write().see(crate::store::Event::Begin);
    partitions[0].objects.write().see(crate::store::Event::Complete);
    assert!(!stores.is_settled(OPTIONAL), "the other namespace is not listed yet");
    partitions[1].is_absent.store(true, Ordering::Relaxed);
    assert!(stores.is_settled(OPTIONAL));
}

#[tokio::test(start_paused = true)]
async fn a_waiting_controller_keeps_each_key_once() {
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
fn a_watch_covers_the_needs_of_all_operators() {
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
        assert!(!stores.is_filtered(OPTIONAL), "an object that is not stored does not exist");
        assert_eq!(stores.selector(NEEDED), None);
    }
}

#[test]
fn the_selector_of_operators_and_that_of_users_are_combined() {
    assert_eq!(both(None, None), None);
    assert_eq!(both(Some("a"), None).as_deref(), Some("a"));
    assert_eq!(both(None, Some("b=c")).as_deref(), Some("b=c"));
    assert_eq!(both(Some("a in (x,y)"), Some("b=c")).as_deref(), Some("a in (x,y),b=c"));
}
