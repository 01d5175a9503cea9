//! The ConfigMaps with rule files: names and labels. Some are mounted before they exist, so that a new one restarts no
//! pod.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

use crate::pack::Files;

/// The ConfigMaps of a workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RuleConfigMaps<'n> {
    /// Those of the Prometheus with this name.
    Prometheus(&'n str),
    /// Those of the ThanosRuler with this name.
    ThanosRuler(&'n str),
}

/// The minimum number of ConfigMaps that a Prometheus mounts.
const MOUNTED_BY_PROMETHEUS: usize = 3;

/// ConfigMaps with this index or a higher one are ignored. The operator does not create so many: they would hold 500 MiB of
/// rules. Without the limit, a user who creates one with a huge index could exhaust the memory of the operator.
const MOST: usize = 1000;

/// Labels of all objects of the operator. The second is deprecated.
const MANAGED: [(&str, &str); 2] =
    [("app.kubernetes.io/managed-by", "prometheus-operator"), ("managed-by", "prometheus-operator")];

impl RuleConfigMaps<'_> {
    /// The label that selects them.
    pub fn selector(&self) -> (&'static str, &str) {
        match self {
            Self::Prometheus(name) => ("prometheus-name", name),
            Self::ThanosRuler(name) => ("thanos-ruler-name", name),
        }
    }

    /// The name of one of them.
    pub fn name(&self, index: usize) -> String {
        match self {
            Self::Prometheus(name) => format!("prometheus-{name}-rulefiles-{index}"),
            Self::ThanosRuler(name) => format!("thanos-ruler-{name}-rulefiles-{index}"),
        }
    }

    /// The index of the one with this name.
    pub fn index(&self, name: &str) -> Option<usize> {
        let (_, index) = name.rsplit_once('-')?;
        let index = index.parse::<usize>().ok().filter(|index| *index < MOST)?;
        (self.name(index) == name).then_some(index)
    }

    /// The names that are mounted if `count` have rules, in alphabetical order: ten comes before two.
    pub fn mounted(&self, count: usize) -> Vec<String> {
        let mut names: Vec<String> = (0..count).map(|index| self.name(index)).collect();
        names.sort_unstable();
        if let Self::Prometheus(_) = self {
            names.extend((count..MOUNTED_BY_PROMETHEUS).map(|index| self.name(index)));
        }
        names
    }

    /// The packing of ConfigMaps, by their names. ConfigMaps with other names are ignored.
    pub fn packing<'c>(&self, config_maps: impl IntoIterator<Item = (&'c str, &'c Files)>) -> Vec<Files> {
        let mut packing = Vec::new();
        for (name, files) in config_maps {
            let Some(index) = self.index(name) else { continue };
            if packing.len() <= index {
                packing.resize(index + 1, Files::new());
            }
            packing[index] = files.clone();
        }
        packing
    }

    /// The ConfigMaps with these files, and with the labels and annotations from the flags of the operator.
    pub fn build(
        &self,
        packing: Vec<Files>,
        labels: &BTreeMap<String, String>,
        annotations: &BTreeMap<String, String>,
    ) -> Vec<ConfigMap> {
        let own = MANAGED.into_iter().chain([self.selector()]);
        let own = own.map(|(label, value)| (label.to_owned(), value.to_owned()));
        let labels: BTreeMap<String, String> = labels.clone().into_iter().chain(own).collect();
        packing
            .into_iter()
            .enumerate()
            .map(|(index, files)| ConfigMap {
                metadata: ObjectMeta {
                    name: Some(self.name(index)),
                    labels: Some(labels.clone()),
                    annotations: (!annotations.is_empty()).then(|| annotations.clone()),
                    ..ObjectMeta::default()
                },
                data: (!files.is_empty()).then_some(files),
                ..ConfigMap::default()
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prometheus_mounts_three_at_least() {
        let names = |numbers: &[usize]| -> Vec<String> {
            numbers.iter().map(|number| format!("prometheus-a-rulefiles-{number}")).collect()
        };
        assert_eq!(RuleConfigMaps::Prometheus("a").mounted(1), names(&[0, 1, 2]));
        assert_eq!(RuleConfigMaps::Prometheus("a").mounted(4), names(&[0, 1, 2, 3]));
        assert_eq!(RuleConfigMaps::Prometheus("a").mounted(11), names(&[0, 1, 10, 2, 3, 4, 5, 6, 7, 8, 9]));
        assert_eq!(RuleConfigMaps::ThanosRuler("a").mounted(1), ["thanos-ruler-a-rulefiles-0"]);
    }

    #[test]
    fn a_huge_index_is_ignored() {
        let workload = RuleConfigMaps::Prometheus("a");
        assert_eq!(workload.index("prometheus-a-rulefiles-999"), Some(999));
        assert_eq!(workload.index("prometheus-a-rulefiles-1000"), None);
        let name = format!("prometheus-a-rulefiles-{}", usize::MAX);
        assert_eq!(workload.packing([(name.as_str(), &Files::new())]), Vec::<Files>::new());
    }

    #[test]
    fn the_packing_is_read_from_the_config_maps() {
        let workload = RuleConfigMaps::Prometheus("a-1");
        let packing = vec![Files::from([("x".into(), "1".into())]), Files::from([("y".into(), "2".into())])];
        let mut built = workload.build(packing.clone(), &BTreeMap::new(), &BTreeMap::new());
        built[0].metadata.labels.as_mut().unwrap().remove("managed-by");
        let other =
            RuleConfigMaps::Prometheus("a").build(vec![Files::new()], &BTreeMap::new(), &BTreeMap::new());
        let (maps, empty) = (built.iter().rev().chain(&other), Files::new());
        let maps =
            maps.map(|map| (map.metadata.name.as_deref().unwrap(), map.data.as_ref().unwrap_or(&empty)));
        assert_eq!(workload.packing(maps), packing);
    }
}
