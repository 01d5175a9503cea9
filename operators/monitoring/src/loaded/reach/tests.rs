use proptest::prelude::*;

use super::*;

const NONE: [&str; 0] = [];

fn at(second: u64) -> Timestamp {
    Timestamp::from_second(1_000_000 + i64::try_from(second).unwrap()).unwrap()
}

/// Asks the pods that are due; `answers` decides which of them answer.
fn round<'p>(
    reach: &mut Reach,
    pods: &[&'p str],
    answers: impl Fn(&str) -> bool,
    second: u64,
) -> Vec<&'p str> {
    let asked = reach.due(pods, at(second));
    reach.record(asked.iter().map(|pod| (*pod, answers(pod))), at(second));
    asked
}

#[test]
fn pauses_grow_without_an_answer_and_end_with_one() {
    let mut reach = Reach::default();
    let pods = ["a", "b", "c"];
    let none = |_: &str| false;
    assert_eq!(round(&mut reach, &pods, none, 0), pods);
    let mut now = 0;
    let mut others = pods.iter().cycle();
    for pause in [10, 20, 40, 80, 160, 320, 600, 600] {
        assert!(reach.is_silent());
        assert_eq!(reach.due(&pods, at(now + pause - 1)), NONE);
        now += pause;
        // Each time another pod is asked: the first may be the only one that never answers.
        assert_eq!(round(&mut reach, &pods, none, now), [*others.next().unwrap()]);
    }
    assert_eq!(round(&mut reach, &pods, |_| true, now + 600).len(), 1);
    assert!(!reach.is_silent());
    assert_eq!(reach.due(&pods, at(now + 600)), pods);
}

#[test]
fn a_pod_that_does_not_answer_delays_no_other_pod() {
    let mut reach = Reach::default();
    let both = ["a", "b"];
    let only_b = |pod: &str| pod == "b";
    assert_eq!(round(&mut reach, &both, only_b, 0), both);
    // The other pod has loaded what was written, so only this one has to be asked.
    for (second, asked) in [(5, false), (10, true), (25, false), (30, true), (69, false), (70, true)] {
        assert_eq!(!round(&mut reach, &["a"], only_b, second).is_empty(), asked, "{second}");
        assert!(!reach.is_silent());
    }
    // Something new was written.
    assert_eq!(round(&mut reach, &both, only_b, 71), ["b"]);
    assert_eq!(round(&mut reach, &both, only_b, 150), ["b", "a"]);
    assert_eq!(round(&mut reach, &both, |_| true, 310), ["b", "a"]);
    assert_eq!(round(&mut reach, &both, |_| true, 311), both);
}

#[test]
fn a_new_pod_is_asked_at_once_if_others_answer() {
    let mut reach = Reach::default();
    round(&mut reach, &["a", "b"], |pod| pod == "b", 0);
    reach.keep(&["b", "c"]);
    assert_eq!(reach.due(&["c"], at(1)), ["c"]);
    assert_eq!(reach.pods.len(), 1);
}

#[test]
fn the_common_pause_starts_when_no_pod_answers_any_more() {
    let mut reach = Reach::default();
    round(&mut reach, &["a", "b"], |pod| pod == "b", 0);
    round(&mut reach, &["b"], |_| false, 5);
    assert!(reach.is_silent());
    assert_eq!(reach.due(&["a", "b"], at(14)), NONE);
    assert_eq!(reach.due(&["a", "b"], at(15)), ["a"]);
}

#[test]
fn a_clock_that_is_set_back_makes_no_pause_longer() {
    let mut reach = Reach::default();
    round(&mut reach, &["a"], |_| false, 1000);
    assert_eq!(reach.due(&["a"], at(0)), ["a"]);
}

proptest! {
    /// Pods that answer are always asked; the others cause at most one request in ten seconds.
    #[test]
    fn answering_pods_are_always_asked_and_others_rarely(
        answering in prop::collection::vec(any::<bool>(), 1..12),
        pauses in prop::collection::vec(0_u64..400, 1..40),
    ) {
        let names: Vec<String> = (0..answering.len()).map(|number| format!("pod-{number:02}")).collect();
        let pods: Vec<&str> = names.iter().map(String::as_str).collect();
        let answers = |pod: &str| names.iter().zip(&answering).any(|(name, answers)| name == pod && *answers);
        let mut reach = Reach::default();
        let mut now = 0;
        let mut last = 0;
        prop_assert_eq!(round(&mut reach, &pods, answers, now), pods.clone());
        for pause in pauses {
            now += pause;
            let asked = round(&mut reach, &pods, answers, now);
            for pod in &pods {
                prop_assert!(!answers(pod) || asked.contains(pod));
            }
            let silent = asked.iter().filter(|pod| !answers(pod)).count();
            prop_assert!(silent <= 1);
            if silent == 1 {
                prop_assert!(now - last >= 10);
                last = now;
            }
        }
    }

    /// A pod that answers again is found among pods that never answer, whatever its name is.
    #[test]
    fn a_pod_that_answers_again_is_found(count in 1_usize..6, again in 0_usize..6) {
        let again = again % count;
        let names: Vec<String> = (0..count).map(|number| format!("pod-{number}")).collect();
        let pods: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut reach = Reach::default();
        round(&mut reach, &pods, |_| false, 0);
        let rounds = 1..=u64::try_from(count).unwrap();
        let mut found = rounds.map(|number| round(&mut reach, &pods, |pod| pod == names[again], number * 600));
        prop_assert!(found.any(|asked| asked.contains(&pods[again])));
    }
}
