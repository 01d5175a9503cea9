//! Who keeps the image of the reloader that he runs, and who does not.

use std::fmt::Debug;

use serde::de::DeserializeOwned;
use serde_json::json;

use super::*;

fn set<K: Keeper + DeserializeOwned>(server: &str, reloader: &str, filled_in: bool) -> K {
    let mut template = json!({
        "metadata": {"labels": {"a": "b"}},
        "spec": {
            "containers": [
                {"name": "prometheus", "image": server, "args": ["x"]},
                {"name": "config-reloader", "image": reloader},
            ],
            "initContainers": [{"name": "init-config-reloader", "image": reloader}],
        },
    });
    if filled_in {
        template["spec"]["restartPolicy"] = "Always".into();
        template["metadata"]["annotations"] = json!({"kubectl.kubernetes.io/restartedAt": "noon"});
    }
    let object = json!({"metadata": {"name": "s", "namespace": "n"}, "spec": {"serviceName": "s", "selector": {}, "template": template}});
    serde_json::from_value(object).unwrap()
}

/// A pod of it that runs, made from a template with this reloader.
fn pod<K: Keeper>(reloader: &str) -> Value {
    let owner =
        json!({"apiVersion": "apps/v1", "kind": K::KIND, "name": "s", "uid": "u", "controller": true});
    let status = |name: &str, state: Value| json!({"name": name, "image": "sha256:1", "imageID": "", "ready": true, "restartCount": 0, "state": state});
    json!({
        "metadata": {"name": "s-0", "namespace": "n", "ownerReferences": [owner], "labels": {"controller-revision-hash": "old"}},
        "spec": {
            "containers": [{"name": "prometheus", "image": "p:1"}, {"name": "config-reloader", "image": reloader}],
            "initContainers": [{"name": "init-config-reloader", "image": reloader}],
        },
        "status": {
            "containerStatuses": [status("config-reloader", json!({"running": {}}))],
            "initContainerStatuses": [status("init-config-reloader", json!({"terminated": {"exitCode": 0}}))],
        },
    })
}

/// The same while the image of the reloader cannot be pulled.
fn stuck<K: Keeper>(reloader: &str) -> Value {
    let mut pod = pod::<K>(reloader);
    let waiting = |reason: &str| json!({"waiting": {"reason": reason}});
    pod["status"]["containerStatuses"][0]["state"] = waiting("PodInitializing");
    pod["status"]["containerStatuses"][0]["started"] = false.into();
    pod["status"]["initContainerStatuses"][0]["state"] = waiting("ImagePullBackOff");
    pod
}

fn pods(all: &[Value]) -> Vec<Pod> {
    all.iter().map(|pod| serde_json::from_value(pod.clone()).unwrap()).collect()
}

const NOBODY: [&[Container]; 2] = [&[], &[]];

/// The image that comes of it, where r:1 is there and r:2 is wanted.
fn comes<K: Keeper + DeserializeOwned + PartialEq + Debug>(
    present: &K,
    own: &[Container],
    all: &[Value],
) -> String {
    let mut wanted: K = set("p:1", "r:2", false);
    keep_reloader(&mut wanted, present, [own, &[]], &pods(all));
    let image = images(wanted.template().unwrap())[0].1.unwrap().to_owned();
    assert_eq!(wanted, set("p:1", &image, false), "all of it or nothing");
    image
}

fn only_what_was_run_stays<K: Keeper + DeserializeOwned + PartialEq + Debug>(newest: &Value) {
    let present: K = set("p:1", "r:1", true);
    let comes = |all: &[Value]| comes(&present, &[], all);
    assert_eq!(comes(&[]), "r:2", "nobody would be restarted");
    assert_eq!(comes(&[stuck::<K>("r:1")]), "r:2", "it cannot be pulled");
    assert_eq!(comes(&[stuck::<K>("r:1"), pod::<K>("r:0")]), "r:2", "another one ran");
    assert_eq!(comes(&[stuck::<K>("r:1"), pod::<K>("r:1")]), "r:1");
    let mut others = pod::<K>("r:1");
    others["metadata"]["ownerReferences"][0]["name"] = "other".into();
    assert_eq!(comes(&[others]), "r:2", "it is no pod of ours");
    let mut crashed = stuck::<K>("r:1");
    for statuses in ["containerStatuses", "initContainerStatuses"] {
        crashed["status"][statuses][0]["lastState"] = json!({"terminated": {"exitCode": 1}});
    }
    assert_eq!(comes(&[crashed]), "r:1", "it ran before");
    // Somebody puts images of his own into pods.
    let mirrored = || pod::<K>("mirror/r:1");
    assert_eq!(comes(&[mirrored()]), "r:2", "nobody can tell");
    let mut known = serde_json::to_value(&present).unwrap();
    known["status"] = newest.clone();
    let known: K = serde_json::from_value(known).unwrap();
    assert_eq!(self::comes(&known, &[], &[mirrored()]), "r:1");
    assert_eq!(self::comes(&known, &[], &[stuck::<K>("mirror/r:1")]), "r:2");
}

#[test]
fn an_image_stays_only_if_somebody_ran_it() {
    only_what_was_run_stays::<StatefulSet>(&json!({"replicas": 1, "updateRevision": "old"}));
    let nodes = json!({
        "currentNumberScheduled": 1, "desiredNumberScheduled": 1, "updatedNumberScheduled": 1, "numberMisscheduled": 0,
        "numberReady": 1,
    });
    only_what_was_run_stays::<DaemonSet>(&nodes);
}

#[test]
fn an_image_that_the_user_names_is_taken_at_once() {
    let present: StatefulSet = set("p:1", "r:1", true);
    let own = |name: &str, image: Option<&str>| {
        [Container { name: name.into(), image: image.map(Into::into), ..Container::default() }]
    };
    let comes = |own: &[Container]| comes(&present, own, &[pod::<StatefulSet>("r:1")]);
    assert_eq!(comes(&own("config-reloader", Some("r:2"))), "r:2");
    assert_eq!(comes(&own("init-config-reloader", Some("r:2"))), "r:2");
    assert_eq!(comes(&own("config-reloader", None)), "r:1", "he says something else of it");
    assert_eq!(comes(&own("prometheus", Some("p:1"))), "r:1");
}

fn waits_for_another_change<K: Keeper + DeserializeOwned + PartialEq + Debug>() {
    let running: K = set("p:1", "r:1", true);
    let mut wanted: K = set("p:1", "r:2", false);
    keep_reloader(&mut wanted, &running, NOBODY, &pods(&[pod::<K>("r:1")]));
    assert_eq!(wanted, set("p:1", "r:1", false));
    let mut wanted: K = set("p:2", "r:2", false);
    keep_reloader(&mut wanted, &running, NOBODY, &pods(&[pod::<K>("r:1")]));
    assert_eq!(wanted, set("p:2", "r:2", false));
}

#[test]
fn it_waits_for_another_change_in_whatever_keeps_the_pods() {
    waits_for_another_change::<StatefulSet>();
    waits_for_another_change::<DaemonSet>();
}

#[test]
fn it_is_looked_for_where_pods_are_kept() {
    let (stateful, daemon): (StatefulSet, DaemonSet) = (set("p:1", "r:1", true), set("p:1", "r:1", true));
    let pods = pods(&[pod::<StatefulSet>("r:1"), pod::<DaemonSet>("r:1")]);
    let sets = [("s".to_owned(), stateful)].into();
    let seen = Seen { sets, daemon_set: Some(daemon), pods, ..Seen::default() };
    let children = |reloader: &str| {
        let (stateful, daemon) = (set("p:1", reloader, false), set("p:1", reloader, false));
        vec![Child::StatefulSet(Box::new(stateful)), Child::DaemonSet(Box::new(daemon))]
    };
    let mut planned = Planned { children: children("r:2"), ..Planned::default() };
    keep_reloaders(&mut planned, NOBODY, &seen);
    assert_eq!(planned.children, children("r:1"));
}
