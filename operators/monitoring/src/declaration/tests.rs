//! Tests that the stores keep all fields of pods, claims and monitors that are read.

use std::collections::BTreeMap;

use crate::status::{Daemons, Pods};
use capability::rollout::{RepairPolicy, Situation, decide};
use capability::volumes::{Growth, of_templates};
use k8s_openapi::api::apps::v1::{DaemonSet, StatefulSet};
use k8s_openapi::api::core::v1::{Container, PersistentVolumeClaim, Pod};
use k8s_openapi::jiff::Timestamp;
use kernel::stores::{Namespaces, Stores};
use serde_json::{Value, json};

use super::*;
use crate::kind::Workload;
use crate::loaded::pod::{self, ObservedPod};
use crate::{OfAgent, OfAlertmanager, OfPrometheus, OfThanosRuler, reloader_image};

/// As in a process that runs all four operators.
fn stores() -> Stores {
    let all = [&PROMETHEUS, &AGENT, &ALERTMANAGER, &THANOS_RULER];
    Stores::new(&all, "test", &Namespaces::AllBut(Vec::new()).into())
}

fn kept(kind: Kind, object: &Value) -> Object {
    stores().keep(kind, serde_json::from_value(object.clone()).unwrap())
}

fn whole(kind: Kind, object: &Value) -> Object {
    Object::new(serde_json::from_value(object.clone()).unwrap(), &kind.resource())
}

/// A running pod, as the API server sends it.
fn pod() -> Value {
    let state = json!({"running": {"startedAt": "2026-01-01T00:00:05Z"}});
    let end = json!({"exitCode": 1, "finishedAt": "2026-01-01T00:00:04Z", "message": "no such file"});
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": "set-0", "namespace": "n", "uid": "1", "resourceVersion": "7", "generation": 1,
            "creationTimestamp": "2026-01-01T00:00:00Z",
            "labels": {"app": "toy", "controller-revision-hash": "new", "statefulset.kubernetes.io/pod-name": "set-0"},
            "annotations": {"mainstay.dev/touched": "noon"},
            "ownerReferences": [{"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "set", "uid": "set", "controller": true}],
            "managedFields": [{"manager": "kubelet", "operation": "Update"}],
        },
        "spec": {
            "subdomain": "service", "nodeName": "node", "serviceAccountName": "toy",
            "containers": [
                {"name": "toy", "image": "toy:1", "command": ["toy"], "args": ["--long"], "env": [{"name": "A", "value": "B"}]},
            ],
            "initContainers": [{"name": "init", "image": "i:1", "args": ["--once"]}],
            "volumes": [
                {"name": "data", "persistentVolumeClaim": {"claimName": "data-set-0"}},
                {"name": "config", "secret": {"secretName": "s", "defaultMode": 420}},
            ],
        },
        "status": {
            "phase": "Running", "startTime": "2026-01-01T00:00:01Z", "podIP": "10.0.0.1", "hostIP": "10.0.0.2",
            "podIPs": [{"ip": "10.0.0.1"}], "qosClass": "Burstable",
            "conditions": [
                {"type": "PodScheduled", "status": "True"},
                {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:09Z"},
            ],
            "initContainerStatuses": [
                {"name": "init", "ready": true, "restartCount": 0, "image": "i", "imageID": "", "state": {"terminated": {"exitCode": 0}}},
            ],
            "containerStatuses": [{
                "name": "toy", "ready": true, "started": true, "restartCount": 1, "image": "toy:1", "imageID": "",
                "state": state, "lastState": {"terminated": end},
            }],
        },
    })
}

/// A pod of an old revision that was never ready.
fn stuck() -> Value {
    let mut pod = pod();
    pod["metadata"]["labels"]["controller-revision-hash"] = "older".into();
    pod["status"]["conditions"] = json!([{"type": "Ready", "status": "False", "message": "wait"}]);
    pod["status"]["containerStatuses"][0]["state"] = json!({"waiting": {"reason": "PodInitializing"}});
    pod
}

fn claim() -> Value {
    json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data-set-0", "namespace": "n", "uid": "2", "labels": {"app": "toy"},
            "annotations": {"pv.kubernetes.io/bind-completed": "yes"}},
        "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "fast", "volumeName": "v", "volumeMode": "Filesystem",
            "resources": {"requests": {"storage": "1Gi"}}},
        "status": {"phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"},
            "conditions": [{"type": "Resizing", "status": "True", "message": "soon"}]},
    })
}

fn set() -> Value {
    let template = json!({"metadata": {"name": "data"},
        "spec": {"storageClassName": "fast", "resources": {"requests": {"storage": "2Gi"}}}});
    json!({
        "metadata": {"name": "set", "namespace": "n", "uid": "set", "generation": 1},
        "spec": {"replicas": 1, "serviceName": "service", "selector": {"matchLabels": {"app": "toy"}},
            "template": {"spec": {"containers": [], "volumes": [{"name": "config"}]}}, "volumeClaimTemplates": [template]},
        "status": {"observedGeneration": 1, "replicas": 1, "currentRevision": "old", "updateRevision": "new"},
    })
}

/// Everything that is derived from a pod and its claim.
fn read(pod: &Object, claim: &Object) -> Vec<String> {
    let set: StatefulSet = serde_json::from_value(set()).unwrap();
    let daemons = json!({"metadata": {"name": "set", "namespace": "n"},
        "spec": {"selector": {}, "template": {}},
        "status": {"observedGeneration": 1, "currentNumberScheduled": 1, "desiredNumberScheduled": 1,
            "numberMisscheduled": 0, "numberReady": 0}});
    let daemons: DaemonSet = serde_json::from_value(daemons).unwrap();
    let (one, claim_object): (Pod, PersistentVolumeClaim) = (pod.read().unwrap(), claim.read().unwrap());
    let (pods, claims) = (std::slice::from_ref(&one), std::slice::from_ref(&claim_object));
    let decided = |repair: RepairPolicy, may_patch_pods: bool| {
        let now: Timestamp = "2026-01-01T01:00:00Z".parse().unwrap();
        let may_patch_pods = Some(may_patch_pods);
        let situation = Situation { set: &set, pods, claims, may_patch_pods, repair, now };
        format!("{:?}", decide(&situation))
    };
    let known = Pods::of(&set, pods);
    let nodes = Daemons::of(&daemons, pods);
    let classes = BTreeMap::from([("fast".to_owned(), true)]);
    let metadata = |object: &Object| {
        let value = object.value();
        let metadata = &value["metadata"];
        format!("{:?} {} {}", object.labels(), metadata["annotations"], metadata["uid"])
    };
    // What distinguishes the programs of a pod.
    let program = |container: &Container| {
        let Container { name, image, command, args, .. } = container;
        format!("{name} {image:?} {command:?} {args:?}")
    };
    let programs: Vec<String> = one.spec.iter().flat_map(|spec| &spec.containers).map(program).collect();
    let has_run = |name: &str, image: &str| {
        reloader_image::has_run(
            &one,
            &Container { name: name.into(), image: Some(image.into()), ..Container::default() },
        )
    };
    vec![
        format!("{programs:?} {} {}", has_run("toy", "toy:1"), has_run("init", "i:1")),
        format!("{:?}", ObservedPod::of(&one)),
        format!("{} {:?}", pod::is_running(&one), pod::address(&one, 8080, false)),
        decided(RepairPolicy::Failing, true),
        decided(RepairPolicy::Delete, false),
        format!(
            "{:?} {:?} {:?}",
            known.counts(),
            known.availability(1),
            known.messages().collect::<Vec<_>>()
        ),
        format!("{:?}", nodes.messages()),
        format!("{:?}", Growth::of(of_templates(&set, claims), &classes)),
        format!("{} {} {}", metadata(pod), metadata(claim), claim.value()["spec"]["resources"]),
    ]
}

/// What is derived from them. It must be the same from the whole objects and from what the stores keep.
fn same(pod: &Value, claim: &Value) -> Vec<String> {
    let trimmed = read(&kept(kinds::POD, pod), &kept(kinds::CLAIM, claim));
    assert_eq!(trimmed, read(&whole(kinds::POD, pod), &whole(kinds::CLAIM, claim)), "{pod} {claim}");
    trimmed
}

fn changed(mut object: Value, pointer: &str, value: Value) -> Value {
    *object.pointer_mut(pointer).unwrap() = value;
    object
}

#[test]
fn all_fields_of_pods_that_are_read_are_kept() {
    let running = json!({"running": {"startedAt": "2026-01-01T00:00:05Z"}});
    let waiting = |reason: &str| json!({"waiting": {"reason": reason}});
    let unscheduled =
        json!([{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "full"}]);
    let rows = [
        (pod(), "/metadata/labels/app", json!("other")),
        (pod(), "/metadata/labels/controller-revision-hash", json!("old")),
        (pod(), "/metadata/annotations/mainstay.dev~1touched", json!("midnight")),
        (pod(), "/metadata/ownerReferences", json!([])),
        (pod(), "/metadata/uid", json!("3")),
        (pod(), "/spec/subdomain", json!("other")),
        (pod(), "/spec/containers/0/name", json!("other")),
        (pod(), "/spec/containers/0/image", json!("toy:2")),
        (pod(), "/spec/containers/0/command", json!(["other"])),
        (pod(), "/spec/containers/0/args", json!(["--short"])),
        (pod(), "/spec/initContainers/0/name", json!("other")),
        (pod(), "/spec/initContainers/0/image", json!("i:2")),
        (pod(), "/spec/volumes/0/persistentVolumeClaim/claimName", json!("other")),
        (pod(), "/spec/volumes/0/name", json!("other")),
        (
            pod(),
            "/spec/volumes/1",
            json!({"name": "old", "persistentVolumeClaim": {"claimName": "old-set-0"}}),
        ),
        (pod(), "/status/phase", json!("Failed")),
        (pod(), "/status/startTime", json!("2026-01-01T00:00:02Z")),
        (pod(), "/status/podIP", json!("10.0.0.9")),
        (pod(), "/status/conditions/1/status", json!("False")),
        (pod(), "/status/conditions/1/lastTransitionTime", json!("2026-01-01T00:00:10Z")),
        (stuck(), "/status/conditions/0/message", json!("never")),
        (stuck(), "/status/conditions", unscheduled),
        (stuck(), "/status/initContainerStatuses/0/state", waiting("ErrImagePull")),
        (stuck(), "/status/containerStatuses/0/state", waiting("CrashLoopBackOff")),
        (stuck(), "/status/containerStatuses/0/state", running),
        (stuck(), "/status/containerStatuses/0/lastState/terminated/message", json!("bad")),
        (
            stuck(),
            "/status/containerStatuses/0/lastState/terminated/finishedAt",
            json!("2026-01-01T00:00:03Z"),
        ),
        (stuck(), "/status", json!({})),
    ];
    for (base, pointer, value) in rows {
        let (before, after) = (same(&base, &claim()), same(&changed(base, pointer, value), &claim()));
        assert_ne!(before, after, "{pointer} is not read");
    }
    let mut leaving = pod();
    leaving["metadata"]["deletionTimestamp"] = "2026-01-01T00:30:00Z".into();
    assert_ne!(same(&leaving, &claim()), same(&pod(), &claim()));
}

#[test]
fn all_fields_of_claims_that_are_read_are_kept() {
    let growing = || changed(claim(), "/spec/resources/requests/storage", json!("2Gi"));
    let rows = [
        (claim(), "/metadata/name", json!("other")),
        (claim(), "/metadata/uid", json!("3")),
        (claim(), "/metadata/labels/app", json!("other")),
        (claim(), "/spec/storageClassName", json!("slow")),
        (claim(), "/spec/storageClassName", Value::Null),
        (claim(), "/spec/resources/requests/storage", json!("3Gi")),
        (claim(), "/status/phase", json!("Pending")),
        (growing(), "/status/capacity/storage", json!("2Gi")),
        (growing(), "/status/conditions/0/type", json!("NodeResizeError")),
        (growing(), "/status/conditions/0/message", json!("late")),
        (growing(), "/status", json!({})),
    ];
    for (base, pointer, value) in rows {
        let (before, after) = (same(&pod(), &base), same(&pod(), &changed(base, pointer, value)));
        assert_ne!(before, after, "{pointer} is not read");
    }
    let mut leaving = changed(claim(), "/spec/storageClassName", json!("slow"));
    let slow = same(&pod(), &leaving);
    leaving["metadata"]["deletionTimestamp"] = "2026-01-01T00:30:00Z".into();
    assert_ne!(same(&pod(), &leaving), slow);
}

#[test]
fn unused_fields_of_pods_and_claims_are_removed() {
    let kept_pod = kept(kinds::POD, &pod()).value().into_owned();
    let claim_name = json!({"claimName": "data-set-0"});
    let volumes = json!([{"name": "data", "persistentVolumeClaim": claim_name}, {"name": "config", "persistentVolumeClaim": null}]);
    let containers = json!([{"name": "toy", "image": "toy:1", "command": ["toy"], "args": ["--long"]}]);
    let before = json!([{"name": "init", "image": "i:1"}]);
    let spec = json!({"containers": containers, "initContainers": before, "volumes": volumes, "subdomain": "service"});
    assert_eq!(kept_pod["spec"], spec);
    let fields = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let status = ["conditions", "containerStatuses", "initContainerStatuses", "phase", "podIP", "startTime"];
    assert_eq!(fields(&kept_pod["status"]), status);
    assert_eq!(kept_pod["metadata"]["managedFields"], Value::Null);
    let kept_claim = kept(kinds::CLAIM, &claim()).value().into_owned();
    assert_eq!(fields(&kept_claim["spec"]), ["resources", "storageClassName"]);
    assert_eq!(fields(&kept_claim["status"]), ["capacity", "conditions", "phase"]);
}

#[test]
fn only_metadata_of_kubectl_and_the_api_server_is_removed_from_monitors() {
    const LAST: &str = "kubectl.kubernetes.io/last-applied-configuration";
    let selectable = [&PROMETHEUS, &AGENT, &ALERTMANAGER, &THANOS_RULER].map(|one| one.watched).concat();
    let selectable = selectable.into_iter().map(|watched| watched.kind);
    for kind in selectable.filter(|kind| kind.group == "monitoring.coreos.com") {
        let mut monitor = json!({
            "apiVersion": kind.api_version(), "kind": kind.kind,
            "metadata": {"name": "m", "namespace": "n", "labels": {"a": "b"}, "annotations": {"c": "d", LAST: "{}"},
                "managedFields": [{"manager": "test", "operation": "Update"}]},
            "spec": {"endpoints": [{"port": "web"}]},
            "status": {"bindings": [{"name": "x"}]},
        });
        let kept = kept(kind, &monitor).value().into_owned();
        let metadata = monitor["metadata"].as_object_mut().unwrap();
        metadata.remove("managedFields");
        metadata["annotations"].as_object_mut().unwrap().remove(LAST);
        assert_eq!(kept, monitor);
    }
}

#[test]
fn pods_and_claims_are_watched_by_the_labels_of_all_workloads() {
    let mut applications = [
        OfAgent::NAMING.application,
        OfAlertmanager::NAMING.application,
        OfPrometheus::NAMING.application,
        OfThanosRuler::NAMING.application,
    ];
    applications.sort_unstable();
    let expected = format!("app.kubernetes.io/name in ({})", applications.join(","));
    for kind in [kinds::POD, kinds::CLAIM] {
        assert_eq!(stores().selector(kind), Some(expected.as_str()));
        assert!(!stores().is_filtered(kind), "an object that is not stored does not exist");
    }
}

#[test]
fn selectable_kinds_are_watched_and_their_status_can_be_patched() {
    fn check<W: Workload>() {
        for kind in W::SELECTABLE {
            let kind = kinds::selectable(*kind);
            let status = format!("{}/status", kind.plural);
            let is_permitted = |one: &Permission| one.resource == status && one.verbs.contains(&"patch");
            assert!(W::DECLARATION.watched.iter().any(|one| one.kind == kind), "{}", kind.kind);
            assert!(W::DECLARATION.permissions.iter().any(is_permitted), "{status}");
        }
    }
    check::<OfPrometheus>();
    check::<OfAgent>();
    check::<OfAlertmanager>();
    check::<OfThanosRuler>();
}
