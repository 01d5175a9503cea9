//! What the schemas of Kubernetes' own types lack: how lists and maps are merged, which defaults are set, which names
//! are optional. Without these, a server-side apply by two managers would merge differently than for built-in
//! resources.

use serde_json::{Map, Value, json};

/// Marks an empty default that must be kept.
pub(super) const EMPTY_DEFAULT: &str = "x-empty-default";

const CORE: &str = "io.k8s.api.core.v1.";
const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.";

/// Types that are replaced as a whole, never merged.
const ATOMIC: [&str; 15] = [
    "ConfigMapEnvSource",
    "ConfigMapKeySelector",
    "ConfigMapProjection",
    "ConfigMapVolumeSource",
    "FileKeySelector",
    "LabelSelector",
    "LocalObjectReference",
    "NodeSelector",
    "NodeSelectorTerm",
    "ObjectFieldSelector",
    "ResourceFieldSelector",
    "SecretEnvSource",
    "SecretKeySelector",
    "SecretProjection",
    "TypedLocalObjectReference",
];

/// Types whose `name` is optional, with an empty default.
const NAMELESS: [&str; 8] = [
    "ConfigMapEnvSource",
    "ConfigMapKeySelector",
    "ConfigMapProjection",
    "ConfigMapVolumeSource",
    "LocalObjectReference",
    "SecretEnvSource",
    "SecretKeySelector",
    "SecretProjection",
];

/// Lists that are replaced as a whole.
const ATOMIC_LISTS: [(&str, &[&str]); 28] = [
    ("Capabilities", &["add", "drop"]),
    ("CephFSVolumeSource", &["monitors"]),
    ("ConfigMapProjection", &["items"]),
    ("ConfigMapVolumeSource", &["items"]),
    ("Container", &["args", "command", "envFrom", "resizePolicy", "restartPolicyRules"]),
    ("DownwardAPIProjection", &["items"]),
    ("DownwardAPIVolumeSource", &["items"]),
    ("ExecAction", &["command"]),
    ("FCVolumeSource", &["targetWWNs", "wwids"]),
    ("HTTPGetAction", &["httpHeaders"]),
    ("ISCSIVolumeSource", &["portals"]),
    ("LabelSelector", &["matchExpressions"]),
    ("LabelSelectorRequirement", &["values"]),
    ("NodeAffinity", &["preferredDuringSchedulingIgnoredDuringExecution"]),
    ("NodeSelector", &["nodeSelectorTerms"]),
    ("NodeSelectorRequirement", &["values"]),
    ("NodeSelectorTerm", &["matchExpressions", "matchFields"]),
    ("PersistentVolumeClaimSpec", &["accessModes"]),
    ("PersistentVolumeClaimStatus", &["accessModes"]),
    ("PodAffinity", PREFERENCES),
    ("PodAffinityTerm", &["matchLabelKeys", "mismatchLabelKeys", "namespaces"]),
    ("PodAntiAffinity", PREFERENCES),
    ("PodSecurityContext", &["supplementalGroups", "sysctls"]),
    ("ProjectedVolumeSource", &["sources"]),
    ("RBDVolumeSource", &["monitors"]),
    ("SecretProjection", &["items"]),
    ("SecretVolumeSource", &["items"]),
    ("TopologySpreadConstraint", &["matchLabelKeys"]),
];

const PREFERENCES: &[&str] =
    &["preferredDuringSchedulingIgnoredDuringExecution", "requiredDuringSchedulingIgnoredDuringExecution"];

/// Lists whose elements are identified by keys.
const KEYED_LISTS: [(&str, &str, &[&str]); 6] = [
    ("Container", "env", &["name"]),
    ("Container", "ports", &["containerPort", "protocol"]),
    ("Container", "volumeDevices", &["devicePath"]),
    ("Container", "volumeMounts", &["mountPath"]),
    ("PersistentVolumeClaimStatus", "conditions", &["type"]),
    ("ResourceRequirements", "claims", &["name"]),
];

/// Defaults of the API server.
const DEFAULTS: [(&str, &str, &str); 11] = [
    ("AzureDiskVolumeSource", "fsType", "\"ext4\""),
    ("AzureDiskVolumeSource", "readOnly", "false"),
    ("ContainerPort", "protocol", "\"TCP\""),
    ("FileKeySelector", "optional", "false"),
    ("GRPCAction", "service", "\"\""),
    ("ISCSIVolumeSource", "iscsiInterface", "\"default\""),
    ("RBDVolumeSource", "keyring", "\"/etc/ceph/keyring\""),
    ("RBDVolumeSource", "pool", "\"rbd\""),
    ("RBDVolumeSource", "user", "\"admin\""),
    ("ScaleIOVolumeSource", "fsType", "\"xfs\""),
    ("ScaleIOVolumeSource", "storageMode", "\"ThinProvisioned\""),
];

/// The format of a quantity.
const QUANTITY: &str = concat!(
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))",
    r"(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$",
);

/// The schema of the named type, completed. A type of ours that contains the fields of a Kubernetes type is completed
/// like that type.
pub(super) fn on(name: &str, schema: Value) -> Value {
    match name {
        "io.k8s.apimachinery.pkg.api.resource.Quantity" => number_or_text(Some(QUANTITY)),
        "io.k8s.apimachinery.pkg.util.intstr.IntOrString" => number_or_text(None),
        // The metadata of a claim template is checked when the claim is created.
        "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" => json!({"type": "object"}),
        _ if name.starts_with(CORE) || name.starts_with(META) || name == SPREADING => {
            let short = name.rsplit('.').next().unwrap_or(name);
            completed(short, schema)
        }
        _ => schema,
    }
}

/// A type of ours that has all fields of a Kubernetes type.
pub(super) const SPREADING: &str = "TopologySpreadConstraint";
/// Its additional fields.
pub(super) const OWN_FIELDS_OF_SPREADING: [&str; 1] = ["additionalLabelSelectors"];

fn number_or_text(pattern: Option<&str>) -> Value {
    let mut schema = json!({
        "anyOf": [{"type": "integer"}, {"type": "string"}],
        "x-kubernetes-int-or-string": true,
    });
    if let Some(pattern) = pattern {
        schema["pattern"] = pattern.into();
    }
    schema
}

fn completed(name: &str, mut whole: Value) -> Value {
    let Value::Object(schema) = &mut whole else { return whole };
    if ATOMIC.contains(&name) {
        schema.insert("x-kubernetes-map-type".into(), "atomic".into());
    }
    if NAMELESS.contains(&name) {
        if let Some(Value::Array(required)) = schema.get_mut("required") {
            required.retain(|field| field != "name");
        }
        set(schema, "name", [("default", "".into()), (EMPTY_DEFAULT, true.into())]);
    }
    for field in ATOMIC_LISTS.iter().filter(|row| row.0 == name).flat_map(|row| row.1) {
        set(schema, field, [("x-kubernetes-list-type", "atomic".into())]);
    }
    for (_, field, keys) in KEYED_LISTS.iter().filter(|row| row.0 == name) {
        set(
            schema,
            field,
            [("x-kubernetes-list-type", "map".into()), ("x-kubernetes-list-map-keys", json!(keys))],
        );
    }
    for (_, field, value) in DEFAULTS.iter().filter(|row| row.0 == name) {
        let value = serde_json::from_str(value).expect("the table holds JSON");
        set(schema, field, [("default", value), (EMPTY_DEFAULT, true.into())]);
    }
    match name {
        "ContainerRestartRuleOnExitCodes" => {
            set(schema, "values", [("x-kubernetes-list-type", "set".into())]);
        }
        "PersistentVolumeClaimStatus" => {
            set(schema, "allocatedResourceStatuses", [("x-kubernetes-map-type", "granular".into())]);
        }
        _ => {}
    }
    whole
}

fn set<const N: usize>(schema: &mut Map<String, Value>, field: &str, facts: [(&str, Value); N]) {
    if let Some(Value::Object(property)) =
        schema.get_mut("properties").and_then(|properties| properties.get_mut(field))
    {
        for (key, value) in facts {
            property.insert(key.into(), value);
        }
    }
}
