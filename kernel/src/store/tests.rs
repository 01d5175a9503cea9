//! A store with single events, and with random histories of a server.

use proptest::prelude::*;

use super::*;

#[derive(Debug, Clone, PartialEq, Eq)]
struct Thing(Identity, Option<String>);

impl Stored for Thing {
    fn identity(&self) -> &Identity {
        &self.0
    }

    fn owner(&self) -> Option<&str> {
        self.1.as_deref()
    }
}

/// Every second object has an owner, which changes with the version.
fn object(name: &str, uid: u64, version: u64) -> Thing {
    let owner = (uid.is_multiple_of(2)).then(|| if version.is_multiple_of(3) { "one" } else { "other" });
    let identity = Identity { key: Key::new("", name), uid: uid.to_string().into(), version };
    Thing(identity, owner.map(String::from))
}

/// Versions before and after each change.
fn versions(changes: &[Change<Thing>]) -> Vec<(Option<u64>, Option<u64>)> {
    let of = |side: &Option<Arc<Thing>>| side.as_ref().map(|object| object.identity().version);
    changes.iter().map(|change| (of(&change.before), of(&change.after))).collect()
}

fn listed(objects: &[Thing]) -> Store<Thing> {
    let mut store = Store::default();
    store.see(Event::Begin);
    assert!(!store.is_complete());
    for object in objects {
        store.see(Event::Listed(object.clone()));
    }
    store.see(Event::Complete);
    assert!(store.is_complete());
    store
}

#[test]
fn an_object_that_a_new_list_lacks_is_gone() {
    let mut store = listed(&[object("a", 1, 1), object("b", 2, 2)]);
    store.see(Event::Begin);
    assert_eq!(versions(&store.see(Event::Listed(object("b", 2, 5)))), [(Some(2), Some(5))]);
    assert_eq!(versions(&store.see(Event::Complete)), [(Some(1), None)]);
}

#[test]
fn an_object_that_cannot_be_decoded_keeps_its_stored_state() {
    let mut store = listed(&[object("a", 1, 1)]);
    assert_eq!(store.see(Event::Unreadable(object("a", 1, 4).0)), []);
    store.see(Event::Begin);
    store.see(Event::Unreadable(object("a", 1, 4).0));
    assert_eq!(store.see(Event::Complete), []);
    assert_eq!(store.len(), 1);
    assert_eq!(versions(&store.see(Event::Deleted(object("a", 1, 5).0))), [(Some(1), None)]);
}

#[test]
fn the_event_of_our_own_write_is_not_a_change() {
    let mut store = listed(&[object("a", 1, 1)]);
    let ticket = store.begin(&Key::new("", "a"), WriteBase::Version(1));
    let (origin, changes) = store.wrote(object("a", 1, 7), ticket);
    assert_eq!((origin, versions(&changes)), (Origin::Ours, vec![(Some(1), Some(7))]));
    assert_eq!(store.see(Event::Applied(object("a", 1, 7))), []);
}

#[test]
fn an_event_that_comes_before_the_answer_is_held_back() {
    let key = Key::new("", "a");
    let mut store = listed(&[object("a", 1, 1)]);
    let ticket = store.begin(&key, WriteBase::Version(1));
    assert_eq!(store.see(Event::Applied(object("a", 1, 2))), []);
    assert_eq!(versions(&store.see(Event::Applied(object("b", 5, 3)))), [(None, Some(3))], "other objects");
    let (origin, changes) = store.wrote(object("a", 1, 2), ticket);
    assert_eq!((origin, versions(&changes)), (Origin::Ours, vec![(Some(1), Some(2))]));

    let ticket = store.begin(&key, WriteBase::Version(2));
    store.see(Event::Applied(object("a", 1, 4)));
    store.see(Event::Applied(object("a", 1, 5)));
    let (origin, changes) = store.wrote(object("a", 1, 4), ticket);
    let expected = (Origin::Foreign, vec![(Some(2), Some(5))]);
    assert_eq!((origin, versions(&changes)), expected, "together with a change of another writer");

    let ticket = store.begin(&key, WriteBase::Version(5));
    store.see(Event::Applied(object("a", 1, 6)));
    assert_eq!(versions(&store.give_up(&ticket)), [(Some(5), Some(6))]);
    assert_eq!(versions(&store.see(Event::Applied(object("a", 1, 7)))), [(Some(6), Some(7))]);
}

#[test]
fn a_change_of_another_writer_before_ours_is_not_considered_ours() {
    let mut store = listed(&[object("a", 1, 1)]);
    let ticket = store.begin(&Key::new("", "a"), WriteBase::Unsaid);
    let (origin, changes) = store.wrote(object("a", 1, 7), ticket);
    assert_eq!((origin, versions(&changes)), (Origin::Foreign, vec![(Some(1), Some(7))]));
    assert_eq!(store.see(Event::Applied(object("a", 1, 6))), [], "an older event is ignored");
}

#[test]
fn a_late_answer_does_not_restore_a_deleted_object() {
    let mut store = listed(&[]);
    let ticket = store.begin(&Key::new("", "a"), WriteBase::Absence);
    store.see(Event::Applied(object("a", 1, 3)));
    store.see(Event::Deleted(object("a", 1, 4).0));
    assert_eq!(store.wrote(object("a", 1, 3), ticket), (Origin::Foreign, vec![]));

    let ticket = store.begin(&Key::new("", "b"), WriteBase::Absence);
    store.see(Event::Begin);
    store.see(Event::Complete);
    let answer = store.wrote(object("b", 2, 8), ticket);
    assert_eq!(answer, (Origin::Foreign, vec![]), "created and deleted before the list was made");
}

#[test]
fn the_deletion_of_an_earlier_object_of_the_same_name_is_ignored() {
    let mut store = listed(&[object("a", 1, 1)]);
    let ticket = store.begin(&Key::new("", "a"), WriteBase::Absence);
    assert_eq!(versions(&store.wrote(object("a", 2, 9), ticket).1), [(Some(1), Some(9))]);
    assert_eq!(store.see(Event::Deleted(object("a", 1, 8).0)), []);
    assert_eq!(store.len(), 1);
}

#[test]
fn objects_are_found_by_the_prefix_of_their_names() {
    let store = listed(&[
        object("a", 1, 1),
        object("data-b-0", 2, 2),
        object("data-b-1", 3, 3),
        object("data-c-0", 4, 4),
    ]);
    let names: Vec<&str> = store.named("", "data-b-").map(|object| &*object.0.key.name).collect();
    assert_eq!(names, ["data-b-0", "data-b-1"]);
    assert_eq!(store.named("elsewhere", "data-b-").count(), 0);
}

/// What happens to the server, to the connection and to our own writes.
#[derive(Debug, Clone)]
enum Occurrence {
    Write(u8),
    Delete(u8),
    /// A write that names the state as the store knows it.
    OwnWrite(u8),
    /// A write that does not.
    Touch(u8),
    Answer,
    /// An answer that never comes.
    Silence,
    Deliver,
    Begin,
    Complete,
}

fn occurrences() -> impl Strategy<Value = Vec<Occurrence>> {
    let occurrence = prop_oneof![
        3 => (0u8..4).prop_map(Occurrence::Write),
        3 => (0u8..4).prop_map(Occurrence::Delete),
        3 => (0u8..4).prop_map(Occurrence::OwnWrite),
        1 => (0u8..4).prop_map(Occurrence::Touch),
        3 => Just(Occurrence::Answer),
        1 => Just(Occurrence::Silence),
        6 => Just(Occurrence::Deliver),
        1 => Just(Occurrence::Begin),
        1 => Just(Occurrence::Complete),
    ];
    prop::collection::vec(occurrence, 0..120)
}

/// An API server: its objects, and the history of their changes.
#[derive(Default)]
struct Server {
    objects: BTreeMap<String, Thing>,
    history: Vec<Event<Thing>>,
    version: u64,
    /// Changes of other writers: the name and the resulting version.
    foreign: Vec<(String, u64)>,
}

impl Server {
    fn write(&mut self, name: &str) -> Thing {
        self.version += 1;
        let uid = self.objects.get(name).and_then(|known| known.0.uid.parse().ok());
        let written = object(name, uid.unwrap_or(self.version), self.version);
        self.objects.insert(name.into(), written.clone());
        self.history.push(Event::Applied(written.clone()));
        written
    }

    fn delete(&mut self, name: &str) {
        if let Some(mut gone) = self.objects.remove(name) {
            self.version += 1;
            gone.0.version = self.version;
            self.history.push(Event::Deleted(gone.0));
            self.foreign.push((name.into(), self.version));
        }
    }

    fn write_of_others(&mut self, name: &str) {
        self.write(name);
        self.foreign.push((name.into(), self.version));
    }

    /// A write that is rejected unless the object has the expected state.
    fn write_if(&mut self, name: &str, base: WriteBase) -> Option<Thing> {
        let version = self.objects.get(name).map(|known| known.0.version);
        let is_expected = match base {
            WriteBase::Absence => version.is_none(),
            WriteBase::Version(known) => version == Some(known),
            WriteBase::Unsaid => true,
        };
        is_expected.then(|| self.write(name))
    }
}

/// A store, and the objects according to the changes that it reported.
#[derive(Default)]
struct Follower {
    store: Store<Thing>,
    reported: BTreeMap<Key, Arc<Thing>>,
}

impl Follower {
    fn take(&mut self, changes: Vec<Change<Thing>>) {
        for Change { before, after } in changes {
            let some = before.as_ref().or(after.as_ref()).unwrap();
            let key = some.0.key.clone();
            assert_eq!(self.reported.get(&key), before.as_ref(), "a change begins where the last one ended");
            match after {
                Some(after) => drop(self.reported.insert(key, after)),
                None => drop(self.reported.remove(&key)),
            }
        }
    }

    fn see(&mut self, event: Event<Thing>) {
        let changes = self.store.see(event);
        self.take(changes);
    }

    /// The stored state of an object, as the base of a write.
    fn base(&self, key: &Key) -> WriteBase {
        self.store.get(key).map_or(WriteBase::Absence, |known| WriteBase::Version(known.0.version))
    }

    /// The end of a write of ours.
    fn end(&mut self, answer: Option<Thing>, ticket: Ticket, server: &Server) {
        let Some(answer) = answer else {
            let changes = self.store.give_up(&ticket);
            return self.take(changes);
        };
        let (origin, changes) = self.store.wrote(answer, ticket);
        for change in changes.iter().filter(|_| origin == Origin::Ours) {
            let (Some(before), Some(after)) = (&change.before, &change.after) else { continue };
            let between = |(name, version): &(String, u64)| {
                **name == *after.0.key.name && before.0.version < *version && *version <= after.0.version
            };
            assert!(!server.foreign.iter().any(between), "a change of another writer is not ours");
        }
        self.take(changes);
    }
}

proptest! {
    #[test]
    fn the_store_always_ends_with_the_state_of_the_server(occurrences in occurrences()) {
        let (mut server, mut follower) = (Server::default(), Follower::default());
        let (mut answers, mut cursor, mut listing) = (Vec::new(), 0, false);
        // A first list, then anything, and finally the end of a list that may have begun.
        let first = [Occurrence::Begin, Occurrence::Complete];
        let all = first.into_iter().chain(occurrences).chain([Occurrence::Complete]);
        for occurrence in all {
            match occurrence {
                Occurrence::Write(name) => server.write_of_others(&name.to_string()),
                Occurrence::Delete(name) => server.delete(&name.to_string()),
                Occurrence::OwnWrite(name) | Occurrence::Touch(name) => {
                    let key = Key::new("", &name.to_string());
                    let touch = matches!(occurrence, Occurrence::Touch(_));
                    let base = if touch { WriteBase::Unsaid } else { follower.base(&key) };
                    let ticket = follower.store.begin(&key, base);
                    answers.push((server.write_if(&key.name, base), ticket));
                }
                Occurrence::Answer | Occurrence::Silence => {
                    if let Some((answer, ticket)) = answers.pop() {
                        let answer = answer.filter(|_| matches!(occurrence, Occurrence::Answer));
                        follower.end(answer, ticket, &server);
                    }
                }
                Occurrence::Deliver => {
                    if !listing && cursor < server.history.len() {
                        follower.see(server.history[cursor].clone());
                        cursor += 1;
                    }
                }
                Occurrence::Begin => {
                    follower.see(Event::Begin);
                    listing = true;
                }
                Occurrence::Complete => {
                    if listing {
                        for object in server.objects.values() {
                            follower.see(Event::Listed(object.clone()));
                        }
                        cursor = server.history.len();
                        follower.see(Event::Complete);
                        listing = false;
                    }
                }
            }
        }
        for (answer, ticket) in answers {
            follower.end(answer, ticket, &server);
        }
        while cursor < server.history.len() {
            follower.see(server.history[cursor].clone());
            cursor += 1;
        }
        let by_name = |object: &Arc<Thing>| (object.0.key.name.to_string(), (**object).clone());
        let known: BTreeMap<String, Thing> = follower.store.iter().map(|(_, object)| by_name(object)).collect();
        prop_assert_eq!(&known, &server.objects);
        let reported: BTreeMap<String, Thing> = follower.reported.values().map(by_name).collect();
        prop_assert_eq!(&reported, &server.objects);
        for owner in ["one", "other"] {
            let found: Vec<&Thing> = follower.store.owned_by(owner).map(|object| &**object).collect();
            let owned: Vec<&Thing> = server.objects.values().filter(|object| object.owner() == Some(owner)).collect();
            prop_assert_eq!(found, owned);
        }
    }
}
