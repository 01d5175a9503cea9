//! A model: an operand that refuses what holds a bad object, and an operator that does what it is told.

use proptest::prelude::*;

use super::*;
use crate::subject::Kind;

const BY: &str = "Prometheus 2.42.0";

fn subject(number: usize) -> Subject {
    Subject::new(Kind::ServiceMonitor, "team", format!("m{number:02}"))
}

fn stamp(generation: i64) -> Stamp {
    Stamp { generation, read: String::new() }
}

/// What there is: objects, and which of their generations are bad.
#[derive(Debug, Clone, Default)]
struct World {
    objects: BTreeMap<Subject, Stamp>,
    bad: BTreeSet<Subject>,
    doubt: Doubt<BTreeSet<(Subject, i64)>>,
}

impl World {
    fn of(count: usize, bad: &BTreeSet<usize>) -> Self {
        let objects = (0..count).map(|number| (subject(number), stamp(1))).collect();
        let bad = bad.iter().map(|number| subject(*number)).collect();
        Self { objects, bad, doubt: Doubt::default() }
    }

    fn content(&self) -> BTreeSet<(Subject, i64)> {
        let out = self.doubt.left_out();
        let written = self.objects.iter().filter(|(subject, _)| !out.contains(*subject));
        written.map(|(subject, stamp)| (subject.clone(), stamp.generation)).collect()
    }

    /// One pass; whether what was written is accepted.
    fn pass(&mut self, named: &BTreeSet<Subject>) -> bool {
        self.doubt.notice(BY, &self.objects);
        let content = self.content();
        self.doubt.writes(&content);
        let refused = content.iter().any(|(subject, _)| self.bad.contains(subject));
        let taken = if refused { Taken::Refused("no".into()) } else { Taken::Accepted };
        let searching = self.doubt.is_searching();
        self.doubt.answer(&content, taken, BY, &|_, text| text.to_owned());
        if !searching && refused && self.doubt.is_new(&content) {
            let written: BTreeSet<Subject> = content.iter().map(|(subject, _)| subject.clone()).collect();
            let objects = self.objects.clone().into_iter().filter(|(it, _)| written.contains(it)).collect();
            let suspicion = Suspicion { objects, named: named.clone(), changed: BTreeSet::new() };
            self.doubt.begin(content, "no".into(), suspicion);
        }
        !refused
    }

    /// Passes until nothing happens any more; how many.
    fn settle(&mut self, named: &BTreeSet<Subject>) -> usize {
        for number in 1..500 {
            // The pass after a search lets in whoever came meanwhile.
            let searching = self.doubt.is_searching();
            if self.pass(named) && !searching && !self.doubt.is_searching() {
                return number;
            }
        }
        panic!("it does not come to an end: {self:?}");
    }
}

#[test]
fn the_one_that_is_named_is_out_with_the_first_try_and_comes_back_when_it_is_mended() {
    let mut world = World::of(50, &BTreeSet::from([7]));
    let named = BTreeSet::from([subject(7)]);
    assert!(!world.pass(&named), "it was written with it");
    assert!(world.pass(&named), "the first try is without it");
    assert_eq!(world.doubt.verdicts().subjects(), named);
    assert!(!world.doubt.is_searching());
    world.bad.clear();
    assert!(world.pass(&named));
    assert_eq!(world.doubt.verdicts().subjects(), named, "nobody knows");
    world.objects.insert(subject(7), stamp(2));
    assert!(world.pass(&BTreeSet::new()));
    assert_eq!(world.content().len(), 50);
    assert!(world.doubt.is_idle());
}

#[test]
fn what_is_nobodys_fault_is_searched_for_once() {
    let mut doubt: Doubt<u8> = Doubt::default();
    let objects = BTreeMap::from([(subject(1), stamp(1))]);
    let suspicion = Suspicion { objects, named: BTreeSet::new(), changed: BTreeSet::new() };
    doubt.begin(1, "no".into(), suspicion);
    assert_eq!(doubt.left_out(), BTreeSet::from([subject(1)]));
    doubt.writes(&2);
    doubt.answer(&1, Taken::Accepted, BY, &|_, _| String::new());
    assert!(doubt.is_searching(), "that was about something else");
    doubt.answer(&2, Taken::Refused("no".into()), BY, &|_, _| String::new());
    assert!(doubt.is_idle() && doubt.hopeless().is_some());
    assert_eq!((doubt.is_new(&1), doubt.is_new(&3)), (false, true));
    doubt.writes(&3);
    assert_eq!(doubt.hopeless(), None);
}

#[test]
fn another_process_goes_on_with_what_was_found() {
    let mut world = World::of(9, &BTreeSet::from([2, 5]));
    world.settle(&BTreeSet::new());
    let annotation = world.doubt.verdicts().annotation().unwrap();
    world.doubt = Doubt::default();
    world.doubt.recall(&annotation);
    assert!(world.pass(&BTreeSet::new()), "nothing bad is written");
    assert_eq!(world.doubt.verdicts().subjects(), BTreeSet::from([subject(2), subject(5)]));
}

proptest! {
    #[test]
    fn exactly_the_bad_ones_stay_out(
        count in 1..40_usize,
        bad in prop::collection::btree_set(0..40_usize, 0..5),
        named in prop::collection::btree_set(0..40_usize, 0..3),
        changes in prop::collection::vec((0..60_usize, any::<bool>(), any::<bool>()), 0..12),
    ) {
        let mut world = World::of(count, &bad.into_iter().filter(|number| *number < count).collect());
        let named = named.into_iter().map(subject).collect();
        world.pass(&named);
        // Somebody edits, adds and removes while the search is under way.
        for (number, is_bad, is_there) in changes {
            let subject = subject(number);
            world.bad.remove(&subject);
            let before = world.objects.remove(&subject).map_or(0, |stamp| stamp.generation);
            if is_there {
                world.objects.insert(subject.clone(), stamp(before + 1));
                if is_bad {
                    world.bad.insert(subject);
                }
            }
            world.pass(&named);
        }
        world.settle(&named);
        prop_assert_eq!(world.doubt.verdicts().subjects(), world.bad.clone());
    }
}
