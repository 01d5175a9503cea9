//! Which steps are valid for which versions.

use super::*;

fn step(action: &str) -> RelabelConfig {
    RelabelConfig { action: action.into(), target_label: "target".into(), ..RelabelConfig::default() }
}

fn checked(version: (u64, u64), step: &RelabelConfig) -> Result<(), String> {
    let version = Version::new(version.0, version.1, 0);
    RelabelRules::of(&version).check(step).map_err(|problem| problem.to_string())
}

#[test]
fn actions_have_versions() {
    assert_eq!(checked((2, 36), &step("Uppercase")), Ok(()));
    assert_eq!(checked((2, 41), &step("DropEqual")), Ok(()));
    for (version, action, words) in [
        ((2, 35), "Uppercase", "Uppercase relabel action is only supported from Prometheus version 2.36.0"),
        ((2, 40), "DropEqual", "DropEqual relabel action is only supported from Prometheus version 2.41.0"),
    ] {
        assert_eq!(checked(version, &step(action)), Err(words.into()));
    }
}

#[test]
fn a_target_label_is_required_and_valid() {
    for action in ["", "hashmod", "lowercase", "uppercase", "keepequal", "dropequal"] {
        let named = if action.is_empty() { "replace" } else { action };
        let mut step = step(action);
        step.modulus = i64::from(action == "hashmod");
        step.target_label = String::new();
        let words = format!("relabel configuration for {named} action needs targetLabel value");
        assert_eq!(checked((2, 55), &step), Err(words));
        step.target_label = "a-${b}".into();
        let words = format!("\"a-${{b}}\" is invalid 'target_label' for {named} action");
        assert_eq!(checked((2, 55), &step), Err(words));
        assert_eq!(checked((3, 0), &step), Ok(()));
    }
}

#[test]
fn default_values_are_allowed() {
    let mut compare = RelabelConfig {
        regex: REGEX.into(),
        separator: Some(SEPARATOR.into()),
        replacement: Some(REPLACEMENT.into()),
        ..step("keepequal")
    };
    assert_eq!(checked((3, 0), &compare), Ok(()));
    compare.action = "labeldrop".into();
    assert_eq!(
        checked((3, 0), &compare),
        Err("labeldrop action requires only 'regex', and no other fields".into())
    );
    compare.target_label = String::new();
    assert_eq!(checked((3, 0), &compare), Ok(()));
}

#[test]
fn comparisons_allow_no_other_fields() {
    let words =
        "keepequal action requires only 'source_labels' and `target_label`, and no other fields".to_owned();
    for change in [
        RelabelConfig { regex: "a".into(), ..step("keepequal") },
        RelabelConfig { modulus: 1, ..step("keepequal") },
        RelabelConfig { separator: Some(String::new()), ..step("keepequal") },
    ] {
        assert_eq!(checked((3, 0), &change), Err(words.clone()));
    }
    let replacing = RelabelConfig { replacement: Some("x".into()), ..step("uppercase") };
    assert_eq!(checked((3, 0), &replacing), Err("'replacement' can not be set for uppercase action".into()));
}

#[test]
fn replacements_of_labelmap_are_label_names() {
    let mut map = RelabelConfig { replacement: Some("k8s-$1".into()), ..step("labelmap") };
    assert_eq!(checked((2, 55), &map), Err("\"k8s-$1\" is invalid 'replacement' for labelmap action".into()));
    assert_eq!(checked((3, 0), &map), Ok(()));
    map.replacement = None;
    assert_eq!(checked((2, 55), &map), Ok(()));
}

#[test]
fn errors_show_the_anchored_expression() {
    assert_eq!(check_anchored("plain-text_1"), Ok(()));
    assert_eq!(
        check_anchored("a)").unwrap_err().to_string(),
        "error parsing regexp: unexpected ): `^(?s:a))$`"
    );
}
