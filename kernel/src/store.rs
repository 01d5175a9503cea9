//! What was last seen of one kind: the store behind a watch, shared by all controllers of the process.
//! Pure: events in, changes out. The watch feeds it, `apply` tells it what the server answered.
//!
//! # Guarantees
//! - A delete is never lost: what a new list lacks is reported as gone, also when its event was missed.
//! - What we wrote ourselves is there at once, and its event coming back is no change.
//! - Nothing goes back in time: an event that is older than what is known of the same object is ignored.
//!
//! # Assumptions
//! Resource versions of one kind are numbers that grow, as Kubernetes promises since 1.35.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use crate::object::{Identity, Kept, Key};

/// What a watch delivers.
#[derive(Debug, Clone)]
pub enum Event<K> {
    /// A list begins: at the start, after a disconnect, or because history is gone.
    Begin,
    /// An object of the list.
    Listed(K),
    /// An object, of the list or not, that is there and cannot be read. What was known of it stays.
    Unreadable(Identity),
    /// The list is complete.
    Complete,
    /// An object was created or changed.
    Applied(K),
    /// An object was deleted. Whether it could be read does not matter.
    Deleted(Identity),
}

/// How what is known of one object has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change<K> {
    /// What was known, unless the object is new.
    pub before: Option<Arc<K>>,
    /// What is known now, unless the object is gone.
    pub after: Option<Arc<K>>,
}

/// When a write was sent, as the store counts time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ticket(u64);

/// All objects of a kind as last seen.
#[derive(Debug)]
pub struct Store<K> {
    objects: BTreeMap<Key, Arc<K>>,
    /// Which objects each owner controls, so that finding them does not look at all.
    owned: HashMap<Box<str>, BTreeSet<Key>>,
    /// The list under way: the objects that are in it so far, with their versions.
    listing: Option<BTreeMap<Key, u64>>,
    /// How many lists were complete.
    lists: u64,
    /// Everything up to this version has been delivered by the watch.
    delivered: u64,
}

impl<K> Default for Store<K> {
    fn default() -> Self {
        Self { objects: BTreeMap::new(), owned: HashMap::new(), listing: None, lists: 0, delivered: 0 }
    }
}

impl<K: Kept> Store<K> {
    /// Whether a whole list was seen: before, absence means nothing.
    pub fn is_complete(&self) -> bool {
        self.lists > 0
    }

    /// To be taken before a write is sent, and handed in with its answer.
    pub fn ticket(&self) -> Ticket {
        Ticket(self.lists)
    }

    /// One object.
    pub fn get(&self, key: &Key) -> Option<&Arc<K>> {
        self.objects.get(key)
    }

    /// Every object, by key.
    pub fn iter(&self) -> impl Iterator<Item = (&Key, &Arc<K>)> {
        self.objects.iter()
    }

    /// The objects that this owner controls, by key.
    pub fn owned_by(&self, uid: &str) -> impl Iterator<Item = &Arc<K>> {
        self.owned.get(uid).into_iter().flatten().filter_map(|key| self.objects.get(key))
    }

    /// The objects of one namespace whose names begin so, by name.
    pub fn named(&self, namespace: &str, prefix: &str) -> impl Iterator<Item = &Arc<K>> {
        let from = Key::new(namespace, prefix);
        let inside = move |key: &Key| key.namespace == from.namespace && key.name.starts_with(&*from.name);
        let first = Key::new(namespace, prefix);
        self.objects.range(first..).take_while(move |(key, _)| inside(key)).map(|(_, object)| object)
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// Takes in what the watch delivered.
    pub fn see(&mut self, event: Event<K>) -> Vec<Change<K>> {
        match event {
            Event::Begin => {
                self.listing = Some(BTreeMap::new());
                Vec::new()
            }
            Event::Listed(object) => {
                if let Some(listing) = &mut self.listing {
                    let Identity { key, version, .. } = object.identity();
                    listing.insert(key.clone(), *version);
                }
                self.learn(object)
            }
            Event::Unreadable(identity) => {
                if let Some(listing) = &mut self.listing {
                    listing.insert(identity.key, identity.version);
                }
                Vec::new()
            }
            Event::Complete => self.complete_list(),
            Event::Applied(object) => {
                self.delivered = self.delivered.max(object.identity().version);
                self.learn(object)
            }
            Event::Deleted(identity) => self.forget(&identity),
        }
    }

    /// Takes in what the server answered to a write of ours. An answer that the watch or a new list has overtaken is
    /// ignored: the object may have been deleted since, and nobody would say so again.
    pub fn wrote(&mut self, object: K, ticket: Ticket) -> Vec<Change<K>> {
        let overtaken = ticket != self.ticket() || object.identity().version <= self.delivered;
        if overtaken { Vec::new() } else { self.learn(object) }
    }

    fn learn(&mut self, object: K) -> Vec<Change<K>> {
        let key = object.identity().key.clone();
        let known = self.objects.get(&key);
        if known.is_some_and(|known| known.identity().version >= object.identity().version) {
            return Vec::new();
        }
        let after = Arc::new(object);
        let before = self.objects.insert(key, Arc::clone(&after));
        if before.as_ref().map(|before| before.owner()) != Some(after.owner()) {
            if let Some(before) = &before {
                self.disown(before);
            }
            if let Some(owner) = after.owner() {
                self.owned.entry(owner.into()).or_default().insert(after.identity().key.clone());
            }
        }
        vec![Change { before, after: Some(after) }]
    }

    fn disown(&mut self, object: &K) {
        let Some(owner) = object.owner() else { return };
        let Some(keys) = self.owned.get_mut(owner) else { return };
        keys.remove(&object.identity().key);
        if keys.is_empty() {
            self.owned.remove(owner);
        }
    }

    fn forget(&mut self, deleted: &Identity) -> Vec<Change<K>> {
        self.delivered = self.delivered.max(deleted.version);
        // One of the same name that was created since is another object.
        let is_same = |known: &Arc<K>| known.identity().uid == deleted.uid;
        if self.objects.get(&deleted.key).is_some_and(is_same) {
            self.remove(&deleted.key)
        } else {
            Vec::new()
        }
    }

    fn remove(&mut self, key: &Key) -> Vec<Change<K>> {
        let before = self.objects.remove(key);
        if let Some(before) = &before {
            self.disown(before);
        }
        before.into_iter().map(|before| Change { before: Some(before), after: None }).collect()
    }

    /// What is known and is not in the list is gone. That may be wrong for what we wrote after the list was made, and
    /// then the watch brings it back; the opposite mistake nobody would ever notice.
    fn complete_list(&mut self) -> Vec<Change<K>> {
        let Some(listed) = self.listing.take() else { return Vec::new() };
        self.lists += 1;
        self.delivered = listed.values().copied().fold(self.delivered, u64::max);
        let gone: Vec<Key> = self.objects.keys().filter(|key| !listed.contains_key(key)).cloned().collect();
        gone.iter().flat_map(|key| self.remove(key)).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, Clone, PartialEq, Eq)]
    struct Thing(Identity, Option<String>);

    impl Kept for Thing {
        fn identity(&self) -> &Identity {
            &self.0
        }

        fn owner(&self) -> Option<&str> {
            self.1.as_deref()
        }
    }

    /// One in two belongs to somebody, and every third version to somebody else.
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
    fn what_a_new_list_lacks_is_gone() {
        let mut store = listed(&[object("a", 1, 1), object("b", 2, 2)]);
        store.see(Event::Begin);
        assert_eq!(versions(&store.see(Event::Listed(object("b", 2, 5)))), [(Some(2), Some(5))]);
        assert_eq!(versions(&store.see(Event::Complete)), [(Some(1), None)]);
    }

    #[test]
    fn what_cannot_be_read_any_more_stays_as_it_was_known() {
        let mut store = listed(&[object("a", 1, 1)]);
        assert_eq!(store.see(Event::Unreadable(object("a", 1, 4).0)), []);
        store.see(Event::Begin);
        store.see(Event::Unreadable(object("a", 1, 4).0));
        assert_eq!(store.see(Event::Complete), []);
        assert_eq!(store.len(), 1);
        assert_eq!(versions(&store.see(Event::Deleted(object("a", 1, 5).0))), [(Some(1), None)]);
    }

    #[test]
    fn our_own_write_coming_back_is_no_change() {
        let mut store = listed(&[object("a", 1, 1)]);
        let ticket = store.ticket();
        assert_eq!(versions(&store.wrote(object("a", 1, 7), ticket)), [(Some(1), Some(7))]);
        assert_eq!(store.see(Event::Applied(object("a", 1, 6))), [], "somebody else's, before ours");
        assert_eq!(store.see(Event::Applied(object("a", 1, 7))), []);
    }

    #[test]
    fn a_late_answer_brings_nothing_back_from_the_dead() {
        let mut store = listed(&[]);
        let ticket = store.ticket();
        store.see(Event::Applied(object("a", 1, 3)));
        store.see(Event::Deleted(object("a", 1, 4).0));
        assert_eq!(store.wrote(object("a", 1, 3), ticket), []);

        let ticket = store.ticket();
        store.see(Event::Begin);
        store.see(Event::Complete);
        assert_eq!(
            store.wrote(object("b", 2, 8), ticket),
            [],
            "created and deleted before the list was made"
        );
    }

    #[test]
    fn the_deletion_of_an_earlier_object_of_the_same_name_is_ignored() {
        let mut store = listed(&[object("a", 1, 1)]);
        let ticket = store.ticket();
        assert_eq!(versions(&store.wrote(object("a", 2, 9), ticket)), [(Some(1), Some(9))]);
        assert_eq!(store.see(Event::Deleted(object("a", 1, 8).0)), []);
        assert_eq!(store.len(), 1);
    }

    #[test]
    fn names_that_begin_alike_are_found_without_looking_at_all() {
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

    /// What happens around a store: to the server, to the connection, to our own writes.
    #[derive(Debug, Clone)]
    enum Happening {
        Write(u8),
        Delete(u8),
        OwnWrite(u8),
        Answer,
        Deliver,
        Begin,
        Complete,
    }

    fn happenings() -> impl Strategy<Value = Vec<Happening>> {
        let happening = prop_oneof![
            3 => (0u8..4).prop_map(Happening::Write),
            3 => (0u8..4).prop_map(Happening::Delete),
            3 => (0u8..4).prop_map(Happening::OwnWrite),
            3 => Just(Happening::Answer),
            6 => Just(Happening::Deliver),
            1 => Just(Happening::Begin),
            1 => Just(Happening::Complete),
        ];
        prop::collection::vec(happening, 0..120)
    }

    /// An API server: what is there, and the history of how it came to be.
    #[derive(Default)]
    struct Server {
        objects: BTreeMap<String, Thing>,
        history: Vec<Event<Thing>>,
        version: u64,
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
            }
        }
    }

    /// A store, and what the changes it reported add up to.
    #[derive(Default)]
    struct Follower {
        store: Store<Thing>,
        told: BTreeMap<Key, Arc<Thing>>,
    }

    impl Follower {
        fn take(&mut self, changes: Vec<Change<Thing>>) {
            for Change { before, after } in changes {
                let some = before.as_ref().or(after.as_ref()).unwrap();
                let key = some.0.key.clone();
                assert_eq!(self.told.get(&key), before.as_ref(), "a change begins where the last one ended");
                match after {
                    Some(after) => drop(self.told.insert(key, after)),
                    None => drop(self.told.remove(&key)),
                }
            }
        }

        fn see(&mut self, event: Event<Thing>) {
            let changes = self.store.see(event);
            self.take(changes);
        }
    }

    proptest! {
        #[test]
        fn whatever_happens_the_store_ends_with_what_the_server_has(happenings in happenings()) {
            let (mut server, mut follower) = (Server::default(), Follower::default());
            let (mut answers, mut cursor, mut listing) = (Vec::new(), 0, false);
            // A first list, then anything, and at last the end of a list that may be under way.
            let first = [Happening::Begin, Happening::Complete];
            let all = first.into_iter().chain(happenings).chain([Happening::Complete]);
            for happening in all {
                match happening {
                    Happening::Write(name) => drop(server.write(&name.to_string())),
                    Happening::Delete(name) => server.delete(&name.to_string()),
                    Happening::OwnWrite(name) => {
                        let ticket = follower.store.ticket();
                        answers.push((server.write(&name.to_string()), ticket));
                    }
                    Happening::Answer => {
                        if let Some((answer, ticket)) = answers.pop() {
                            let changes = follower.store.wrote(answer, ticket);
                            follower.take(changes);
                        }
                    }
                    Happening::Deliver => {
                        if !listing && cursor < server.history.len() {
                            follower.see(server.history[cursor].clone());
                            cursor += 1;
                        }
                    }
                    Happening::Begin => {
                        follower.see(Event::Begin);
                        listing = true;
                    }
                    Happening::Complete => {
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
                let changes = follower.store.wrote(answer, ticket);
                follower.take(changes);
            }
            while cursor < server.history.len() {
                follower.see(server.history[cursor].clone());
                cursor += 1;
            }
            let by_name = |object: &Arc<Thing>| (object.0.key.name.to_string(), (**object).clone());
            let known: BTreeMap<String, Thing> = follower.store.iter().map(|(_, object)| by_name(object)).collect();
            prop_assert_eq!(&known, &server.objects);
            let told: BTreeMap<String, Thing> = follower.told.values().map(by_name).collect();
            prop_assert_eq!(&told, &server.objects);
            for owner in ["one", "other"] {
                let found: Vec<&Thing> = follower.store.owned_by(owner).map(|object| &**object).collect();
                let owned: Vec<&Thing> = server.objects.values().filter(|object| object.owner() == Some(owner)).collect();
                prop_assert_eq!(found, owned);
            }
        }
    }
}
