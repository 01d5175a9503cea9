use std::time::Duration;

use kernel::faults::{Cut, Fault, Refusal};
use proptest::prelude::*;

use super::*;
use crate::drift::{Act, Drift};
use crate::injection_point::{InjectionPoint, Target};
use crate::plan::Perturbation;
use crate::state::Name;

const SCENARIOS: [&str; 12] = [
    "install", "whole", "scale", "stop", "grow", "pause", "invalid", "late", "bad", "claims", "version",
    "delete",
];

fn refusal(number: usize) -> Fault {
    Fault::Refused(
        [
            Refusal::Conflict,
            Refusal::TooManyRequests(Duration::from_secs(1)),
            Refusal::InternalError,
            Refusal::Unavailable,
            Refusal::Timeout,
            Refusal::Forbidden,
        ][number % 6],
    )
}

fn fault(fault: Fault, nth: u64) -> Perturbation {
    let target =
        Target { verb: kernel::call::Verb::Update, kind: "secrets".into(), part: None, name: "a".into() };
    Perturbation::Fault(InjectionPoint { change: 0, target, nth }, fault)
}

/// The perturbation with this number.
fn perturbation(number: usize) -> Perturbation {
    let kind = || format!("kind-{}", number % 5);
    let nth = number as u64 % 7;
    match number % 8 {
        0 => fault(Fault::CrashAfter, nth),
        1 => fault(Fault::AnswerLost, nth),
        2 => fault(refusal(number / 8), nth),
        3 => Perturbation::Held { change: number % 3, kind: kind(), expired: number.is_multiple_of(2) },
        4 => Perturbation::Cut { change: number % 3, kind: kind(), how: Cut::Clean },
        5 => Perturbation::Absent { change: number % 3 },
        6 => Perturbation::Idle,
        _ => Perturbation::Drift(Drift { name: Name { kind: kind(), name: "a".into() }, act: Act::Mark }),
    }
}

/// Different plans of some scenarios.
fn catalogue() -> impl Strategy<Value = Vec<Plan>> {
    let plan = (0..SCENARIOS.len(), 0_usize..400);
    let all = proptest::collection::vec(plan, 1..250);
    all.prop_map(|numbers| {
        let plan = |(scenario, number): (usize, usize)| Plan {
            scenario: SCENARIOS[scenario],
            perturbation: perturbation(number),
        };
        let named = numbers.into_iter().map(plan).map(|plan| (plan.to_string(), plan));
        named.collect::<BTreeMap<String, Plan>>().into_values().collect()
    })
}

fn pair(plan: &Plan) -> (&'static str, Class) {
    (plan.scenario, plan.class())
}

fn seed(text: &str) -> Seed {
    Seed(text.into())
}

proptest! {
    #[test]
    fn every_scenario_gets_each_of_its_classes_before_any_gets_one_twice(
        plans in catalogue(),
        text in "[0-9a-f]{1,40}",
        more in 0_usize..300,
    ) {
        let pairs: BTreeSet<_> = plans.iter().map(pair).collect();
        let count = (pairs.len() + more).min(plans.len());
        let drawn = draw(&seed(&text), &plans, count).unwrap();
        prop_assert_eq!(drawn.len(), count);
        prop_assert_eq!(drawn.iter().collect::<BTreeSet<_>>().len(), count, "no plan twice");
        let first: BTreeSet<_> = drawn[..pairs.len()].iter().map(|at| pair(&plans[*at])).collect();
        prop_assert_eq!(first, pairs);
    }

    #[test]
    fn the_same_seed_draws_the_same_plans(plans in catalogue(), text in "[0-9a-f]{1,40}") {
        let pairs = plans.iter().map(pair).collect::<BTreeSet<_>>().len();
        let names = |plans: &[Plan]| {
            let drawn = draw(&seed(&text), plans, pairs).unwrap();
            drawn.into_iter().map(|at| plans[at].to_string()).collect::<Vec<_>>()
        };
        let reversed: Vec<Plan> = plans.iter().rev().cloned().collect();
        prop_assert_eq!(names(&plans), names(&reversed), "the order of the list does not matter");
    }

    #[test]
    fn a_number_that_cannot_be_drawn_is_an_error(plans in catalogue()) {
        let pairs = plans.iter().map(pair).collect::<BTreeSet<_>>().len();
        prop_assert_eq!(draw(&seed("1"), &plans, pairs - 1), Err(DrawError::TooFew { pairs }));
        let error = DrawError::TooMany { plans: plans.len() };
        prop_assert_eq!(draw(&seed("1"), &plans, plans.len() + 1), Err(error));
    }
}

/// Each scenario with each error at a number of requests.
fn refusals(requests: u64) -> Vec<Plan> {
    let mut all = Vec::new();
    for scenario in SCENARIOS {
        for number in 0..6 {
            let plan = |nth| Plan { scenario, perturbation: fault(refusal(number), nth) };
            all.extend((1..=requests).map(plan));
        }
    }
    all
}

fn variants(plans: &[Plan], count: usize) -> BTreeMap<String, usize> {
    let mut all = BTreeMap::new();
    for at in draw(&seed("0ceb3e5"), plans, count).unwrap() {
        *all.entry(plans[at].perturbation.variant()).or_default() += 1;
    }
    all
}

#[test]
fn the_variants_of_a_class_are_drawn_equally_often() {
    let plans = refusals(3);
    for rounds in 1..=3 {
        let variants = variants(&plans, rounds * SCENARIOS.len());
        assert_eq!(variants.len(), 6);
        assert!(variants.values().all(|count| *count == 2 * rounds), "{variants:?}");
    }
}

#[test]
fn other_seeds_draw_other_plans_and_every_plan_is_drawn_by_some_seed() {
    let plans = refusals(3);
    let drawn = |number: usize| draw(&seed(&number.to_string()), &plans, SCENARIOS.len()).unwrap();
    let all: BTreeSet<usize> = (0..200).flat_map(drawn).collect();
    assert_eq!(all.len(), plans.len());
}

#[test]
fn an_additional_plan_does_not_change_the_plans_of_other_scenarios() {
    let plans = refusals(2);
    let drawn = |plans: &[Plan]| -> BTreeSet<String> {
        let all = draw(&seed("1"), plans, SCENARIOS.len()).unwrap();
        all.into_iter().map(|at| plans[at].to_string()).filter(|name| !name.starts_with("late/")).collect()
    };
    let mut more = plans.clone();
    more.push(Plan { scenario: "late", perturbation: fault(refusal(0), 9) });
    assert_eq!(drawn(&plans), drawn(&more));
}

#[test]
fn classes_that_were_not_tested_are_named() {
    let due = [("scale", Class::Crash), ("scale", Class::Idle)];
    assert_eq!(missing(due, &[("scale", Class::Idle)].into()), ["scale was not tested with the class crash"]);
    assert_eq!(missing(due, &due.into()), Vec::<String>::new());
}
