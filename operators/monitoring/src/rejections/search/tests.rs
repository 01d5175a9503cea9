use proptest::prelude::*;

use super::*;

/// An operand that rejects some objects, and some pairs of objects.
#[derive(Debug, Clone)]
struct Operand {
    bad: BTreeSet<usize>,
    pairs: BTreeSet<(usize, usize)>,
    /// The workload itself is bad.
    itself: bool,
}

impl Operand {
    fn bad(objects: &[usize]) -> Self {
        Self { bad: objects.iter().copied().collect(), pairs: BTreeSet::new(), itself: false }
    }

    fn accepts(&self, out: &BTreeSet<usize>) -> bool {
        !self.itself
            && self.bad.is_subset(out)
            && self.pairs.iter().all(|(one, other)| out.contains(one) || out.contains(other))
    }
}

/// How many attempts there are at most.
fn most_attempts(search: &Search<usize>) -> usize {
    let count: usize = search.tiers.iter().map(Vec::len).sum();
    let halvings = count.next_power_of_two().trailing_zeros() as usize;
    search.tiers.len() + (MOST_CAUSES + 1) * (halvings + 1)
}

/// Searches, and returns the result and the attempts.
fn search(tiers: Vec<Vec<usize>>, operand: &Operand) -> (Next<usize>, Vec<BTreeSet<usize>>) {
    let mut search = Search::new(tiers);
    let mut attempts = Vec::new();
    loop {
        match search.next() {
            Next::Try(out) => {
                search.answer(operand.accepts(&out));
                attempts.push(out);
                assert!(attempts.len() <= most_attempts(&search));
            }
            result @ (Next::Found(_) | Next::NotFound(_)) => return (result, attempts),
        }
    }
}

fn found(objects: &[usize]) -> Next<usize> {
    Next::Found(objects.iter().copied().collect())
}

#[test]
fn a_suspect_that_is_the_cause_takes_one_attempt() {
    let (result, attempts) = search(vec![vec![7], (0..100).collect()], &Operand::bad(&[7]));
    assert_eq!(result, found(&[7]));
    assert_eq!(attempts, [BTreeSet::from([7])]);
}

#[test]
fn a_suspect_that_is_not_the_cause_is_not_excluded() {
    let (result, attempts) = search(vec![vec![7], (0..128).collect()], &Operand::bad(&[42]));
    assert_eq!(result, found(&[42]));
    assert_eq!(attempts.len(), 2 + 7 + 1);
}

#[test]
fn of_two_that_conflict_the_later_one_is_excluded() {
    let operand = Operand { pairs: BTreeSet::from([(3, 5)]), ..Operand::bad(&[]) };
    assert_eq!(search(vec![(0..10).collect()], &operand).0, found(&[5]));
    // Suspects count as the later ones.
    assert_eq!(search(vec![vec![3], (0..10).collect()], &operand).0, found(&[3]));
}

#[test]
fn a_workload_that_is_rejected_without_objects_is_reported() {
    let operand = Operand { itself: true, ..Operand::bad(&[]) };
    let message = "the configuration is rejected even without all 5 selected objects: check the spec of the workload \
                 itself";
    let (result, attempts) = search(vec![vec![1], (0..5).collect()], &operand);
    assert_eq!((result, attempts.len()), (Next::NotFound(message.into()), 2));
    let nothing = search(vec![], &operand);
    assert!(matches!(nothing, (Next::NotFound(_), attempts) if attempts.is_empty()));
}

#[test]
fn a_search_ends_after_many_causes_with_causes_only() {
    let operand = Operand::bad(&(0..100).collect::<Vec<_>>());
    let (result, _) = search(vec![(0..200).collect()], &operand);
    assert_eq!(result, found(&(0..MOST_CAUSES).collect::<Vec<_>>()));
}

#[test]
fn each_tier_doubles_the_excluded_objects() {
    let tiers = doubling((0..11).collect());
    assert_eq!(tiers, [vec![0], vec![1], vec![3, 2], vec![7, 6, 5, 4], vec![10, 9, 8]]);
    assert_eq!(doubling::<u8>(Vec::new()), Vec::<Vec<u8>>::new());
}

fn operands() -> impl Strategy<Value = (usize, Operand)> {
    (2..=500_usize).prop_flat_map(|count| {
        let bad = prop::collection::btree_set(0..count, 0..=4);
        let pair = (0..count, 0..count).prop_filter("two", |(one, other)| one != other);
        let pairs = prop::collection::btree_set(pair, 0..=3);
        (Just(count), bad, pairs)
            .prop_map(|(count, bad, pairs)| (count, Operand { bad, pairs, itself: false }))
            .prop_filter("something is rejected", |(_, operand)| !operand.accepts(&BTreeSet::new()))
    })
}

proptest! {
    #[test]
    fn the_rest_is_accepted_and_only_causes_are_excluded(
        (count, operand) in operands(),
        suspects in prop::collection::vec(0..500_usize, 0..6),
        changed in prop::collection::vec(0..500_usize, 0..40),
    ) {
        let within = |objects: Vec<usize>| objects.into_iter().filter(|object| *object < count).collect::<Vec<_>>();
        let tiers = vec![within(suspects), within(changed), (0..count).collect()];
        let (result, attempts) = search(tiers, &operand);
        let Next::Found(out) = result else { return Err(TestCaseError::fail("not found")) };
        prop_assert!(operand.accepts(&out));
        for object in &out {
            let mut back = out.clone();
            back.remove(object);
            prop_assert!(!operand.accepts(&back), "{} is excluded without a cause", object);
        }
        let halvings = count.next_power_of_two().trailing_zeros() as usize;
        let most = 3 + out.len() * (halvings + 1);
        prop_assert!(attempts.len() <= most, "{} attempts for {:?} of {}", attempts.len(), out, count);
    }

    /// Each accepted attempt excludes fewer than twice as many objects as changed since the cause.
    #[test]
    fn a_server_loses_few_objects(count in 1..500_usize, place in any::<prop::sample::Index>()) {
        let cause = place.index(count);
        let operand = Operand::bad(&[cause]);
        let (result, attempts) = search(doubling((0..count).collect()), &operand);
        prop_assert_eq!(result, found(&[cause]));
        prop_assert_eq!(attempts[0].len(), 1);
        for accepted in attempts.iter().filter(|out| operand.accepts(out)) {
            prop_assert!(accepted.len() < 2 * (cause + 1), "{} of {}", accepted.len(), count);
        }
    }

    /// A search ends even if the operand answers at random.
    #[test]
    fn a_search_ends_whatever_is_answered(count in 0..300_usize, answers in prop::collection::vec(any::<bool>(), 1..40)) {
        let mut search = Search::new([(0..count / 3).collect(), (0..count).collect::<Vec<_>>()]);
        let mut attempts = 0;
        let mut answers = answers.into_iter().cycle();
        while let Next::Try(_) = search.next() {
            search.answer(answers.next().unwrap());
            attempts += 1;
            prop_assert!(attempts <= most_attempts(&search));
        }
    }
}
