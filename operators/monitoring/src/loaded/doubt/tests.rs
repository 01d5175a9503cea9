//! A model: an operand that refuses what holds a bad object, and an operator that does what it is told.

use proptest::prelude::*;

use super::*;
use monitoring_select::SelectableKind;

fn operand(workload: u8) -> Operand {
    Operand { by: "Prometheus 2.42.0".into(), workload: workload.to_string() }
}

fn subject(number: usize) -> Subject {
    Subject::new(SelectableKind::ServiceMonitor, "team", format!("m{number:02}"))
}

fn stamp(generation: i64) -> Stamp {
    Stamp { uid: "u".into(), generation, read: String::new() }
}

/// What is written: the workload's own part, and objects.
type Content = (u8, BTreeSet<(Subject, i64)>);

/// What there is: objects, which of them are bad, and the state of the workload.
#[derive(Debug, Clone, Default)]
struct World {
    objects: BTreeMap<Subject, Stamp>,
    bad: BTreeSet<Subject>,
    workload: u8,
    /// The states in which the workload's own part is refused.
    spoilt: BTreeSet<u8>,
    is_running: bool,
    doubt: Doubt<Content>,
}

impl World {
    fn of(count: usize, bad: &BTreeSet<usize>) -> Self {
        let objects = (0..count).map(|number| (subject(number), stamp(1))).collect();
        let bad = bad.iter().map(|number| subject(*number)).collect();
        Self { objects, bad, ..Self::default() }
    }

    fn content(&self) -> Content {
        let out = self.doubt.left_out();
        let written = self.objects.iter().filter(|(subject, _)| !out.contains(*subject));
        (self.workload, written.map(|(subject, stamp)| (subject.clone(), stamp.generation)).collect())
    }

    /// What the operand says of it: the first thing that it does not take.
    fn refusal(&self, (workload, written): &Content) -> Option<String> {
        let bad = || written.iter().find(|(subject, _)| self.bad.contains(subject));
        let itself = self.spoilt.contains(workload).then(|| "the workload".to_owned());
        itself.or_else(|| bad().map(|(subject, _)| subject.name.clone()))
    }

    /// One pass; whether what was written is accepted.
    fn pass(&mut self, named: &BTreeSet<Subject>) -> bool {
        self.doubt.notice(operand(self.workload), &self.objects);
        let content = self.content();
        self.doubt.writes(&content);
        let refusal = self.refusal(&content);
        let taken = refusal.clone().map_or(Taken::Accepted, Taken::Refused);
        let searching = self.doubt.is_searching();
        self.doubt.answer(&content, taken, &|_, text| text.to_owned());
        if let Some(text) = refusal.clone().filter(|_| !searching && self.doubt.is_new(&content)) {
            let written: BTreeSet<Subject> = content.1.iter().map(|(subject, _)| subject.clone()).collect();
            let objects = self.objects.clone().into_iter().filter(|(it, _)| written.contains(it)).collect();
            let row = written.into_iter().rev().collect();
            let (fresh, is_running) = (BTreeSet::new(), self.is_running);
            let suspicion = Suspicion { objects, named: named.clone(), fresh, row, is_running };
            self.doubt.begin(content, text, suspicion);
        }
        refusal.is_none()
    }

    /// Passes until nothing happens any more; how many.
    fn settle(&mut self, named: &BTreeSet<Subject>) -> usize {
        for number in 1..2000 {
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
    assert_eq!(world.content().1.len(), 50);
    assert!(world.doubt.is_idle());
}

#[test]
fn what_is_nobodys_fault_is_searched_for_once() {
    let mut doubt: Doubt<u8> = Doubt::default();
    let objects = BTreeMap::from([(subject(1), stamp(1))]);
    let words = |_: &Subject, _: &str| String::new();
    doubt.begin(1, "no".into(), Suspicion { objects, row: vec![subject(1)], ..Suspicion::default() });
    assert_eq!(doubt.left_out(), BTreeSet::from([subject(1)]));
    doubt.writes(&2);
    doubt.answer(&1, Taken::Accepted, &words);
    assert!(doubt.is_searching(), "that was about something else");
    doubt.answer(&2, Taken::Refused("no".into()), &words);
    assert!(!doubt.is_searching() && doubt.verdicts().is_empty() && doubt.hopeless().is_some());
    assert_eq!((doubt.is_new(&1), doubt.is_new(&3)), (false, true));
    let mut other = doubt.clone();
    other.notice(operand(1), &BTreeMap::new());
    assert_eq!((other.hopeless(), other.is_new(&1)), (None, true), "another image may take it");
    let mut taken = doubt.clone();
    taken.answer(&1, Taken::Accepted, &words);
    assert_eq!((taken.hopeless(), taken.is_idle()), (None, true), "it was taken after all");
    doubt.writes(&3);
    assert_eq!(doubt.hopeless(), None);
}

#[test]
fn what_another_image_takes_comes_back() {
    let mut world = World::of(20, &BTreeSet::from([3, 4]));
    world.settle(&BTreeSet::new());
    assert_eq!(world.doubt.verdicts().subjects(), world.bad);
    (world.workload, world.bad) = (1, BTreeSet::new());
    assert!(world.pass(&BTreeSet::new()));
    assert_eq!(world.content().1.len(), 20);
    assert!(world.pass(&BTreeSet::new()) && world.doubt.is_idle());
}

/// They are tried once, and not searched for among all.
#[test]
fn what_another_image_does_not_take_either_is_out_again_at_once() {
    let mut world = World::of(50, &BTreeSet::from([3, 40]));
    world.is_running = true;
    world.settle(&BTreeSet::new());
    world.workload = 1;
    assert!(!world.pass(&BTreeSet::new()), "they are tried");
    assert_eq!(world.doubt.left_out(), world.bad);
    world.settle(&BTreeSet::new());
    assert_eq!(world.doubt.verdicts().subjects(), world.bad);
    let content = world.content();
    for _ in 0..5 {
        assert!(world.pass(&BTreeSet::new()));
        assert_eq!(world.content(), content);
    }
}

#[test]
fn a_server_that_runs_does_without_one_at_first_and_one_that_does_not_with_nothing() {
    for (is_running, left_out) in [(true, 1), (false, 30)] {
        let mut world = World::of(30, &BTreeSet::from([7]));
        world.is_running = is_running;
        world.pass(&BTreeSet::new());
        assert_eq!(world.doubt.left_out().len(), left_out);
    }
}

#[test]
fn whoever_is_new_to_a_server_is_left_out_before_whoever_it_runs() {
    let mut doubt: Doubt<u8> = Doubt::default();
    let all: Vec<Subject> = (0..9).map(subject).collect();
    let objects = all.iter().map(|subject| (subject.clone(), stamp(1))).collect();
    let fresh = BTreeSet::from([subject(2), subject(5)]);
    let named = BTreeSet::new();
    let suspicion = Suspicion { objects, named, fresh: fresh.clone(), row: all, is_running: true };
    doubt.begin(1, "no".into(), suspicion);
    assert_eq!(doubt.left_out(), fresh);
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

    /// Whatever the workload itself did wrong, and whenever that was mended: nobody else has to answer for it.
    #[test]
    fn a_search_in_which_the_workload_changes_convicts_no_innocent(
        count in 1..40_usize,
        bad in prop::collection::btree_set(0..40_usize, 0..3),
        is_running in any::<bool>(),
        states in prop::collection::vec((any::<bool>(), 0..25_usize), 1..5),
    ) {
        let mut world = World::of(count, &bad.into_iter().filter(|number| *number < count).collect());
        world.is_running = is_running;
        for (is_spoilt, passes) in states {
            world.workload += 1;
            world.spoilt = is_spoilt.then_some(world.workload).into_iter().collect();
            for _ in 0..passes {
                world.pass(&BTreeSet::new());
                prop_assert!(world.doubt.verdicts().subjects().is_subset(&world.bad));
            }
        }
        world.workload += 1;
        world.settle(&BTreeSet::new());
        prop_assert_eq!(world.doubt.verdicts().subjects(), world.bad.clone());
        prop_assert_eq!(world.content().1.len(), count - world.bad.len());
    }

    /// However many there are, each is out for what is said about itself, and nobody else is.
    #[test]
    fn all_culprits_are_found_and_none_but_them(
        count in 30..90_usize,
        bad in prop::collection::btree_set(0..90_usize, 0..=30),
        is_running in any::<bool>(),
    ) {
        let mut world = World::of(count, &bad.into_iter().filter(|number| *number < count).collect());
        world.is_running = is_running;
        world.settle(&BTreeSet::new());
        prop_assert_eq!(world.doubt.verdicts().subjects(), world.bad.clone());
        for subject in &world.bad {
            let words = world.doubt.verdicts().of(subject).map(|refusal| refusal.words.clone());
            prop_assert_eq!(words.as_ref(), Some(&subject.name));
        }
    }
}
