//! A model of an operand that rejects configurations with bad resources, and of an operator that follows the tracker.

use proptest::prelude::*;

use super::*;
use monitoring_select::SelectableKind;

fn operand(workload: u8) -> OperandState {
    OperandState { by: "Prometheus 2.42.0".into(), workload: workload.to_string() }
}

fn resource(number: usize) -> ResourceRef {
    ResourceRef::new(SelectableKind::ServiceMonitor, "team", format!("m{number:02}"))
}

fn state(generation: i64) -> ResourceState {
    ResourceState { uid: "u".into(), generation, read: String::new() }
}

/// A written configuration: the state of the workload, and the resources with their generations.
type Written = (u8, BTreeSet<(ResourceRef, i64)>);

fn content(written: &impl std::fmt::Debug) -> Content {
    Content { config: Some(format!("{written:?}")), watched: None }
}

/// The cluster: resources, which of them are bad, and the state of the workload.
#[derive(Debug, Clone, Default)]
struct World {
    objects: BTreeMap<ResourceRef, ResourceState>,
    bad: BTreeSet<ResourceRef>,
    workload: u8,
    /// The states of the workload that are rejected.
    rejected_workloads: BTreeSet<u8>,
    is_running: bool,
    tracker: RejectionTracker,
}

impl World {
    fn of(count: usize, bad: &BTreeSet<usize>) -> Self {
        let objects = (0..count).map(|number| (resource(number), state(1))).collect();
        let bad = bad.iter().map(|number| resource(*number)).collect();
        Self { objects, bad, ..Self::default() }
    }

    fn written(&self) -> Written {
        let out = self.tracker.excluded();
        let written = self.objects.iter().filter(|(resource, _)| !out.contains(*resource));
        (self.workload, written.map(|(resource, state)| (resource.clone(), state.generation)).collect())
    }

    /// The error of the operand about a configuration; none, if it is accepted.
    fn rejection(&self, (workload, written): &Written) -> Option<String> {
        let bad = || written.iter().find(|(resource, _)| self.bad.contains(resource));
        let itself = self.rejected_workloads.contains(workload).then(|| "the workload".to_owned());
        itself.or_else(|| bad().map(|(resource, _)| resource.name.clone()))
    }

    /// One pass. Returns whether the written configuration is accepted.
    fn pass(&mut self, named: &BTreeSet<ResourceRef>) -> bool {
        self.tracker.update(operand(self.workload), &self.objects);
        let written = self.written();
        let content = content(&written);
        self.tracker.set_content(&content);
        let rejection = self.rejection(&written);
        let result = rejection.clone().map_or(LoadResult::Accepted, LoadResult::Rejected);
        let searching = self.tracker.is_searching();
        self.tracker.record_result(&content, result, &|_, text| text.to_owned());
        if let Some(text) = rejection.clone().filter(|_| !searching && self.tracker.should_search(&content)) {
            let written: BTreeSet<ResourceRef> =
                written.1.iter().map(|(resource, _)| resource.clone()).collect();
            let states = self.objects.clone().into_iter().filter(|(it, _)| written.contains(it)).collect();
            let ranked = written.into_iter().rev().collect();
            let (new, is_running) = (BTreeSet::new(), self.is_running);
            let suspects = Suspects { states, named: named.clone(), new, ranked, is_running };
            self.tracker.start_search(content, text, suspects);
        }
        rejection.is_none()
    }

    /// Passes until nothing changes any more. Returns how many.
    fn settle(&mut self, named: &BTreeSet<ResourceRef>) -> usize {
        for number in 1..2000 {
            // The pass after a search includes the resources that were created during the search.
            let searching = self.tracker.is_searching();
            if self.pass(named) && !searching && !self.tracker.is_searching() {
                return number;
            }
        }
        panic!("it does not end: {self:?}");
    }
}

#[test]
fn a_named_resource_is_excluded_first_and_included_when_it_is_corrected() {
    let mut world = World::of(50, &BTreeSet::from([7]));
    let named = BTreeSet::from([resource(7)]);
    assert!(!world.pass(&named), "the bad resource was written");
    assert!(world.pass(&named), "the first attempt excludes it");
    assert_eq!(world.tracker.rejections().resources(), named);
    assert!(!world.tracker.is_searching());
    world.bad.clear();
    assert!(world.pass(&named));
    assert_eq!(world.tracker.rejections().resources(), named, "its state did not change");
    world.objects.insert(resource(7), state(2));
    assert!(world.pass(&BTreeSet::new()));
    assert_eq!(world.written().1.len(), 50);
    assert!(world.tracker.is_idle());
}

#[test]
fn a_rejection_without_a_cause_is_searched_once() {
    let mut tracker = RejectionTracker::default();
    let states = BTreeMap::from([(resource(1), state(1))]);
    let [one, two, three] = [1, 2, 3].map(|number| content(&number));
    let describe = |_: &ResourceRef, _: &str| String::new();
    let suspects = Suspects { states, ranked: vec![resource(1)], ..Suspects::default() };
    tracker.start_search(one.clone(), "no".into(), suspects);
    assert_eq!(tracker.excluded(), BTreeSet::from([resource(1)]));
    tracker.set_content(&two);
    tracker.record_result(&one, LoadResult::Accepted, &describe);
    assert!(tracker.is_searching(), "the response was about another content");
    tracker.record_result(&two, LoadResult::Rejected("no".into()), &describe);
    assert!(!tracker.is_searching() && tracker.rejections().is_empty() && tracker.unexplained().is_some());
    assert_eq!((tracker.should_search(&one), tracker.should_search(&three)), (false, true));
    let mut other = tracker.clone();
    other.update(operand(1), &BTreeMap::new());
    assert_eq!((other.unexplained(), other.should_search(&one)), (None, true), "another image may accept it");
    let mut accepted = tracker.clone();
    accepted.record_result(&one, LoadResult::Accepted, &describe);
    assert_eq!((accepted.unexplained(), accepted.is_idle()), (None, true), "it was accepted later");
    tracker.set_content(&three);
    assert_eq!(tracker.unexplained(), None);
}

#[test]
fn resources_that_another_image_accepts_are_included_again() {
    let mut world = World::of(20, &BTreeSet::from([3, 4]));
    world.settle(&BTreeSet::new());
    assert_eq!(world.tracker.rejections().resources(), world.bad);
    (world.workload, world.bad) = (1, BTreeSet::new());
    assert!(world.pass(&BTreeSet::new()));
    assert_eq!(world.written().1.len(), 20);
    assert!(world.pass(&BTreeSet::new()) && world.tracker.is_idle());
}

/// They are tried once, without a search among all resources.
#[test]
fn resources_that_another_image_rejects_too_are_excluded_at_once() {
    let mut world = World::of(50, &BTreeSet::from([3, 40]));
    world.is_running = true;
    world.settle(&BTreeSet::new());
    world.workload = 1;
    assert!(!world.pass(&BTreeSet::new()), "they are tried again");
    assert_eq!(world.tracker.excluded(), world.bad);
    world.settle(&BTreeSet::new());
    assert_eq!(world.tracker.rejections().resources(), world.bad);
    let written = world.written();
    for _ in 0..5 {
        assert!(world.pass(&BTreeSet::new()));
        assert_eq!(world.written(), written);
    }
}

#[test]
fn a_running_server_loses_one_resource_first_and_one_that_does_not_run_loses_all() {
    for (is_running, excluded) in [(true, 1), (false, 30)] {
        let mut world = World::of(30, &BTreeSet::from([7]));
        world.is_running = is_running;
        world.pass(&BTreeSet::new());
        assert_eq!(world.tracker.excluded().len(), excluded);
    }
}

#[test]
fn new_resources_are_excluded_before_those_that_a_server_runs() {
    let mut tracker = RejectionTracker::default();
    let all: Vec<ResourceRef> = (0..9).map(resource).collect();
    let states = all.iter().map(|resource| (resource.clone(), state(1))).collect();
    let new = BTreeSet::from([resource(2), resource(5)]);
    let named = BTreeSet::new();
    let suspects = Suspects { states, named, new: new.clone(), ranked: all, is_running: true };
    tracker.start_search(content(&1), "no".into(), suspects);
    assert_eq!(tracker.excluded(), new);
}

#[test]
fn another_process_restores_the_rejections() {
    let mut world = World::of(9, &BTreeSet::from([2, 5]));
    world.settle(&BTreeSet::new());
    let annotation = world.tracker.rejections().annotation().unwrap();
    world.tracker = RejectionTracker::default();
    world.tracker.restore(&annotation);
    assert!(world.pass(&BTreeSet::new()), "no bad resource is written");
    assert_eq!(world.tracker.rejections().resources(), BTreeSet::from([resource(2), resource(5)]));
}

proptest! {
    #[test]
    fn only_bad_resources_stay_excluded(
        count in 1..40_usize,
        bad in prop::collection::btree_set(0..40_usize, 0..5),
        named in prop::collection::btree_set(0..40_usize, 0..3),
        changes in prop::collection::vec((0..60_usize, any::<bool>(), any::<bool>()), 0..12),
    ) {
        let mut world = World::of(count, &bad.into_iter().filter(|number| *number < count).collect());
        let named = named.into_iter().map(resource).collect();
        world.pass(&named);
        // Resources are edited, added and removed during the search.
        for (number, is_bad, is_there) in changes {
            let resource = resource(number);
            world.bad.remove(&resource);
            let before = world.objects.remove(&resource).map_or(0, |state| state.generation);
            if is_there {
                world.objects.insert(resource.clone(), state(before + 1));
                if is_bad {
                    world.bad.insert(resource);
                }
            }
            world.pass(&named);
        }
        world.settle(&named);
        prop_assert_eq!(world.tracker.rejections().resources(), world.bad.clone());
    }

    /// Whenever the workload itself is rejected and corrected, no resource is excluded because of it.
    #[test]
    fn a_change_of_the_workload_excludes_no_good_resource(
        count in 1..40_usize,
        bad in prop::collection::btree_set(0..40_usize, 0..3),
        is_running in any::<bool>(),
        states in prop::collection::vec((any::<bool>(), 0..25_usize), 1..5),
    ) {
        let mut world = World::of(count, &bad.into_iter().filter(|number| *number < count).collect());
        world.is_running = is_running;
        for (is_rejected, passes) in states {
            world.workload += 1;
            world.rejected_workloads = is_rejected.then_some(world.workload).into_iter().collect();
            for _ in 0..passes {
                world.pass(&BTreeSet::new());
                prop_assert!(world.tracker.rejections().resources().is_subset(&world.bad));
            }
        }
        world.workload += 1;
        world.settle(&BTreeSet::new());
        prop_assert_eq!(world.tracker.rejections().resources(), world.bad.clone());
        prop_assert_eq!(world.written().1.len(), count - world.bad.len());
    }

    /// Any number of causes is found, each with the error about itself, and no other resource is excluded.
    #[test]
    fn all_causes_are_found_and_nothing_else(
        count in 30..90_usize,
        bad in prop::collection::btree_set(0..90_usize, 0..=30),
        is_running in any::<bool>(),
    ) {
        let mut world = World::of(count, &bad.into_iter().filter(|number| *number < count).collect());
        world.is_running = is_running;
        world.settle(&BTreeSet::new());
        prop_assert_eq!(world.tracker.rejections().resources(), world.bad.clone());
        for resource in &world.bad {
            let message = world.tracker.rejections().get(resource).map(|rejection| rejection.message.clone());
            prop_assert_eq!(message.as_ref(), Some(&resource.name));
        }
    }
}
