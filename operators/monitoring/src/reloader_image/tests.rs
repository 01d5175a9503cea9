//! When the image of the reloader is kept, and when it is updated.

use serde_json::{Value, json};

use super::*;

const KINDS: [&str; 2] = ["StatefulSet", "DaemonSet"];

fn set(kind: &str, server: &str, reloader: &str) -> Child {
    child(kind, &template(server, reloader), &Value::Null)
}

/// An existing object, with the defaults that the API server set.
fn present(kind: &str, reloader: &str, status: &Value) -> Child {
    let mut template = template("p:1", reloader);
    template["spec"]["restartPolicy"] = "Always".into();
    template["metadata"]["annotations"] = json!({"kubectl.kubernetes.io/restartedAt": "noon"});
    child(kind, &template, status)
}

fn template(server: &str, reloader: &str) -> Value {
    json!({
        "metadata": {"labels": {"a": "b"}},
        "spec": {
            "containers": [
                {"name": "prometheus", "image": server, "args": ["x"]},
                {"name": "config-reloader", "image": reloader},
            ],
            "initContainers": [{"name": "init-config-reloader", "image": reloader}],
        },
    })
}

fn child(kind: &str, template: &Value, status: &Value) -> Child {
    let spec = json!({"serviceName": "s", "selector": {}, "template": template});
    let object = json!({"metadata": {"name": "s", "namespace": "n"}, "spec": spec, "status": status});
    if kind == "StatefulSet" {
        Child::StatefulSet(serde_json::from_value(object).unwrap())
    } else {
        Child::DaemonSet(serde_json::from_value(object).unwrap())
    }
}

/// A running pod of the object, created from a template with this reloader.
fn pod(kind: &str, reloader: &str) -> Value {
    let owner = json!({"apiVersion": "apps/v1", "kind": kind, "name": "s", "uid": "u", "controller": true});
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
fn stuck(kind: &str, reloader: &str) -> Value {
    let mut pod = pod(kind, reloader);
    let waiting = |reason: &str| json!({"waiting": {"reason": reason}});
    pod["status"]["containerStatuses"][0]["state"] = waiting("PodInitializing");
    pod["status"]["containerStatuses"][0]["started"] = false.into();
    pod["status"]["initContainerStatuses"][0]["state"] = waiting("ImagePullBackOff");
    pod
}

/// The desired object after the decision, if another one exists.
fn kept(wanted: Child, present: &Child, own: &[Container], pods: &[Value]) -> Child {
    let mut seen = Seen { pods: pods.iter().map(read).collect(), ..Seen::default() };
    match present {
        Child::StatefulSet(set) => drop(seen.sets.insert("s".to_owned(), (**set).clone())),
        Child::DaemonSet(set) => seen.daemon_set = Some((**set).clone()),
        Child::ConfigMap(_) | Child::Secret(_) | Child::Service(_) => {}
    }
    let mut planned = Planned { children: vec![wanted], ..Planned::default() };
    keep_reloaders(&mut planned, [own, &[]], &seen);
    planned.children.remove(0)
}

fn read(pod: &Value) -> Pod {
    serde_json::from_value(pod.clone()).unwrap()
}

/// The image after the decision, if r:1 exists and r:2 is desired.
fn image(kind: &str, present: &Child, own: &[Container], pods: &[Value]) -> &'static str {
    let kept = kept(set(kind, "p:1", "r:2"), present, own, pods);
    let images = ["r:1", "r:2"];
    let image = images.into_iter().find(|image| kept == set(kind, "p:1", image));
    image.expect("all containers have the same image")
}

#[test]
fn an_image_stays_only_if_a_pod_ran_it() {
    let nodes = json!({
        "currentNumberScheduled": 1, "desiredNumberScheduled": 1, "updatedNumberScheduled": 1, "numberMisscheduled": 0,
        "numberReady": 1,
    });
    let newest = [json!({"replicas": 1, "updateRevision": "old"}), nodes];
    for (kind, newest) in KINDS.into_iter().zip(newest) {
        let existing = present(kind, "r:1", &Value::Null);
        let image = |pods: &[Value]| image(kind, &existing, &[], pods);
        let (pod, stuck) = (|reloader: &str| pod(kind, reloader), |reloader: &str| stuck(kind, reloader));
        assert_eq!(image(&[]), "r:2", "there are no pods to restart");
        assert_eq!(image(&[stuck("r:1")]), "r:2", "it cannot be pulled");
        assert_eq!(image(&[stuck("r:1"), pod("r:0")]), "r:2", "another one ran");
        assert_eq!(image(&[stuck("r:1"), pod("r:1")]), "r:1");
        let mut others = pod("r:1");
        others["metadata"]["ownerReferences"][0]["name"] = "other".into();
        assert_eq!(image(&[others]), "r:2", "another object owns it");
        let mut crashed = stuck("r:1");
        for statuses in ["containerStatuses", "initContainerStatuses"] {
            crashed["status"][statuses][0]["lastState"] = json!({"terminated": {"exitCode": 1}});
        }
        assert_eq!(image(&[crashed]), "r:1", "it ran before");
        // A webhook replaces the images of pods.
        assert_eq!(image(&[pod("mirror/r:1")]), "r:2", "no pod certainly ran it");
        let known = present(kind, "r:1", &newest);
        assert_eq!(self::image(kind, &known, &[], &[pod("mirror/r:1")]), "r:1");
        assert_eq!(self::image(kind, &known, &[], &[stuck("mirror/r:1")]), "r:2");
    }
}

#[test]
fn an_image_that_the_user_sets_is_used_at_once() {
    let own = |name: &str, image: Option<&str>| {
        [Container { name: name.into(), image: image.map(Into::into), ..Container::default() }]
    };
    let existing = present("StatefulSet", "r:1", &Value::Null);
    let image = |own: &[Container]| image("StatefulSet", &existing, own, &[pod("StatefulSet", "r:1")]);
    assert_eq!(image(&own("config-reloader", Some("r:2"))), "r:2");
    assert_eq!(image(&own("init-config-reloader", Some("r:2"))), "r:2");
    assert_eq!(image(&own("config-reloader", None)), "r:1", "the user changes something else");
    assert_eq!(image(&own("prometheus", Some("p:1"))), "r:1");
}

#[test]
fn a_new_image_is_rolled_out_with_another_change_of_the_pods() {
    for kind in KINDS {
        let (existing, pods) = (present(kind, "r:1", &Value::Null), [pod(kind, "r:1")]);
        let kept = |server: &str| kept(set(kind, server, "r:2"), &existing, &[], &pods);
        assert_eq!(kept("p:1"), set(kind, "p:1", "r:1"));
        assert_eq!(kept("p:2"), set(kind, "p:2", "r:2"));
    }
}
