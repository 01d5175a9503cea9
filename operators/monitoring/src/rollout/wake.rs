//! A StatefulSet controller that could not make a pod tries again ever more seldom, and nobody tells it when the pod that
//! stood in the way belonged to nobody and is gone. Any write to the StatefulSet wakes it: so an annotation says which pod
//! is waited for, and is emptied when that is gone.

use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::Pod;

use crate::rollout::removal::{Removal, Why};

/// The annotation of a StatefulSet with the unique id of the pod that it waits for; empty, if for none.
pub const AWAITS: &str = "mainstay.dev/awaits";

/// What the annotation shall say, if something else than it does.
pub(crate) fn awaits(set: &StatefulSet, pods: &[&Pod], removal: Option<&Removal>) -> Option<String> {
    let said = set.metadata.annotations.as_ref().and_then(|annotations| annotations.get(AWAITS));
    let said = said.map(String::as_str).unwrap_or_default();
    let is_there = |uid: &str| pods.iter().any(|pod| pod.metadata.uid.as_deref() == Some(uid));
    match removal.filter(|removal| removal.why == Why::Labels) {
        Some(removal) if removal.uid != said => Some(removal.uid.clone()),
        Some(_) => None,
        None => (!said.is_empty() && !is_there(said)).then(String::new),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rollout::tests::build::{pod, stateful_set};

    #[test]
    fn a_pod_is_awaited_until_it_is_gone() {
        let pod = pod(0);
        let removal = Removal::of(&pod, Why::Labels);
        let other = Removal::of(&pod, Why::Stuck);
        let mut set = stateful_set(1);
        assert_eq!(awaits(&set, &[&pod], None), None);
        assert_eq!(awaits(&set, &[&pod], Some(&other)), None);
        assert_eq!(awaits(&set, &[&pod], Some(&removal)), Some("uid-0".into()));
        set.metadata.annotations = Some([(AWAITS.to_owned(), "uid-0".to_owned())].into());
        assert_eq!(awaits(&set, &[&pod], Some(&removal)), None);
        assert_eq!(awaits(&set, &[&pod], None), None);
        assert_eq!(awaits(&set, &[], None), Some(String::new()));
        set.metadata.annotations = Some([(AWAITS.to_owned(), String::new())].into());
        assert_eq!(awaits(&set, &[], None), None);
    }
}
