//! Tests of the table and of the selection from it.

use super::*;

#[test]
fn every_image_has_a_program_and_names_of_its_own() {
    let versions = Versions::parse(TABLE).unwrap();
    let images = versions.images();
    for content in &versions.table.image {
        assert!(
            images.iter().any(|image| image.program.name == content.program),
            "no program {}",
            content.program
        );
    }
    assert!(
        versions.table.alias.iter().all(|alias| alias.image(&images).is_some()),
        "an alias of a missing image"
    );
    for (what, mut found) in [
        ("name", images.iter().flat_map(|image| image.content.names.clone()).collect::<Vec<String>>()),
        ("id", images.iter().map(Image::id).collect()),
    ] {
        let all = found.len();
        found.sort();
        found.dedup();
        assert_eq!(found.len(), all, "a {what} is used twice");
    }
}

#[test]
fn placeholders_are_filled_in() {
    let Recipe::Go(go) = Versions::built_in().program("prometheus", "3.13.2").unwrap().recipe else {
        panic!("a Go module")
    };
    assert_eq!(go.modules[0].version, "v0.313.2");
    assert_eq!(go.variables[0], "github.com/prometheus/common/version.Version=3.13.2");
}

#[test]
fn a_version_outside_of_the_table_has_the_recipe_of_its_program() {
    let Recipe::Assembly(assembly) = Versions::built_in().program("kubernetes", "1.35.2").unwrap().recipe
    else {
        panic!("an assembly")
    };
    assert_eq!(assembly.requires, ["k8s.io/kubernetes@v1.35.2"]);
    assert_eq!(assembly.staging.unwrap().version, "v0.35.2");
}

#[test]
fn the_error_for_an_unknown_image_lists_the_known_ones() {
    let error = Versions::built_in().select_images(&["promtheus".into()]).unwrap_err().to_string();
    assert!(error.starts_with("no image `promtheus`; there are: all, pause:1, coredns:1.15.0"), "{error}");
}

#[test]
fn a_program_is_selected_by_name_or_version() {
    let versions = Versions::built_in();
    let ids = |words: &[&str]| -> Vec<String> {
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        versions.select_programs(&words).unwrap().iter().map(Program::id).collect()
    };
    assert_eq!(ids(&["promtool"]), ["promtool@3.13.1", "promtool@3.13.2", "promtool@2.42.0"]);
    assert_eq!(ids(&["promtool@2.42.0", "pause"]), ["promtool@2.42.0", "pause@1"]);
    let error = versions.select_programs(&["promtol".into()]).unwrap_err().to_string();
    assert!(error.starts_with("no program `promtol`; there are: kubernetes@1.36.4, "), "{error}");
}

#[test]
fn an_image_is_selected_by_program_version_or_full_name() {
    let versions = Versions::built_in();
    let ids = |word: &str| -> Vec<String> {
        versions.select_images(&[word.into()]).unwrap().iter().map(Image::id).collect()
    };
    assert_eq!(ids("alertmanager"), ["alertmanager:0.33.1", "alertmanager:0.25.0"]);
    assert_eq!(ids("prometheus:2.42.0"), ["prometheus:2.42.0"]);
    assert_eq!(ids("quay.io/coreos/etcd:v3.5.35"), ["etcd:3.5.35"]);
}

#[test]
fn an_image_of_a_group_must_be_selected() {
    let versions = Versions::built_in();
    let ids = |word: &str| -> Vec<String> {
        versions.select_images(&[word.into()]).unwrap().iter().map(Image::id).collect()
    };
    assert_eq!(ids("mainstay"), ["mainstay:0.1.0"]);
    assert_eq!(
        ids("peer-names"),
        [
            "mainstay-as-admission-webhook:0.1.0",
            "mainstay-reloader-as-prometheus-config-reloader:0.1.0",
            "mainstay-for-peer-names:0.1.0",
        ]
    );
    assert_eq!(ids("admission-webhook:0.93.1"), ["admission-webhook:0.93.1"]);
    assert_eq!(ids("quay.io/thanos/thanos:v0.41.0"), ["thanos-for-peer-e2e:0.42.2"]);
    let all = ids("all");
    assert!(ids("peer-e2e").iter().all(|id| !all.contains(id)));
}

#[test]
fn an_alias_has_the_same_content_under_other_names() {
    let versions = Versions::built_in();
    let find = |word: &str| versions.select_images(&[word.into()]).unwrap().remove(0);
    let (alias, original) = (find("quay.io/prometheus/prometheus:v3.12.0"), find("prometheus:3.13.1"));
    assert_eq!(alias.program, original.program);
    let ImageContent { name, group, names, .. } = alias.content.clone();
    assert_eq!(alias.content, ImageContent { name, group, names, ..original.content });
}
