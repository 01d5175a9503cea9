//! How the server treats individual fields.

/// Lists whose elements have names, and by which fields; all others are one value.
pub(super) const KEYED: [(&str, &[&str]); 14] = [
    ("containers", &["name"]),
    ("env", &["name"]),
    ("ephemeralContainers", &["name"]),
    ("hostAliases", &["ip"]),
    ("imagePullSecrets", &["name"]),
    ("initContainers", &["name"]),
    ("ownerReferences", &["uid"]),
    ("ports", &["containerPort", "port", "protocol"]),
    ("resizePolicy", &["resourceName"]),
    ("topologySpreadConstraints", &["topologyKey", "whenUnsatisfiable"]),
    ("volumeDevices", &["devicePath"]),
    ("volumeMounts", &["mountPath"]),
    ("volumes", &["name"]),
    ("webhooks", &["name"]),
];

/// Maps that are compared as one value.
pub(super) const WHOLE: [&str; 9] = [
    "configMapKeyRef",
    "fieldRef",
    "labelSelector",
    "namespaceSelector",
    "nodeSelector",
    "podSelector",
    "resourceFieldRef",
    "secretKeyRef",
    "selector",
];

/// Quantities, and maps of them.
pub(super) const QUANTITIES: [&str; 7] =
    ["capacity", "divisor", "hard", "limits", "overhead", "requests", "sizeLimit"];

/// Maps that the server drops when they are empty. For others `{}` has a meaning: `emptyDir`, selectors.
pub(super) const MAPS: [&str; 11] = [
    "annotations",
    "binaryData",
    "data",
    "labels",
    "limits",
    "matchLabels",
    "metadata",
    "nodeSelector",
    "requests",
    "resources",
    "securityContext",
];

/// Fields that the server drops when they are false, zero or empty. For others absence has another meaning.
pub(super) const DROPPED: [&str; 13] = [
    "hostIPC",
    "hostNetwork",
    "hostPID",
    "initialDelaySeconds",
    "minReadySeconds",
    "paused",
    "publishNotReadyAddresses",
    "readOnly",
    "stdin",
    "stdinOnce",
    "subPath",
    "tty",
    "value",
];

/// Defaults of the server.
pub(super) const DEFAULTS: [(&str, &str); 57] = [
    ("allocateLoadBalancerNodePorts", "true"),
    ("allowPrivilegeEscalation", "true"),
    ("apiVersion", "\"v1\""),
    ("automountServiceAccountToken", "true"),
    ("backoffLimit", "6"),
    ("completionMode", "\"NonIndexed\""),
    ("completions", "1"),
    ("creationTimestamp", "null"),
    ("defaultMode", "420"),
    ("divisor", "\"0\""),
    ("dnsPolicy", "\"ClusterFirst\""),
    ("enableServiceLinks", "true"),
    ("expirationSeconds", "3600"),
    ("externalTrafficPolicy", "\"Cluster\""),
    ("failureThreshold", "3"),
    ("initialDelaySeconds", "0"),
    ("internalTrafficPolicy", "\"Cluster\""),
    ("ipFamilyPolicy", "\"SingleStack\""),
    ("kind", "\"PersistentVolumeClaim\""),
    ("manualSelector", "false"),
    ("maxSurge", "0"),
    ("maxSurge", "\"25%\""),
    ("maxUnavailable", "1"),
    ("maxUnavailable", "\"25%\""),
    ("minReadySeconds", "0"),
    ("optional", "false"),
    ("parallelism", "1"),
    ("partition", "0"),
    ("periodSeconds", "10"),
    ("phase", "\"Pending\""),
    ("podManagementPolicy", "\"OrderedReady\""),
    ("podReplacementPolicy", "\"TerminatingOrFailed\""),
    ("preemptionPolicy", "\"PreemptLowerPriority\""),
    ("progressDeadlineSeconds", "600"),
    ("protocol", "\"TCP\""),
    ("readOnly", "false"),
    ("replicas", "1"),
    ("restartPolicy", "\"Always\""),
    ("revisionHistoryLimit", "10"),
    ("schedulerName", "\"default-scheduler\""),
    ("scheme", "\"HTTP\""),
    ("service", "\"\""),
    ("sessionAffinity", "\"None\""),
    ("successThreshold", "1"),
    ("suspend", "false"),
    ("terminationGracePeriodSeconds", "30"),
    ("terminationMessagePath", "\"/dev/termination-log\""),
    ("terminationMessagePolicy", "\"File\""),
    ("timeoutSeconds", "1"),
    ("timeoutSeconds", "10800"),
    ("type", "\"\""),
    ("type", "\"ClusterIP\""),
    ("type", "\"Opaque\""),
    ("type", "\"RollingUpdate\""),
    ("volumeMode", "\"Filesystem\""),
    ("whenDeleted", "\"Retain\""),
    ("whenScaled", "\"Retain\""),
];

/// Fields that only the server sets.
pub(super) const ASSIGNED: [&str; 7] = [
    "clusterIP",
    "clusterIPs",
    "healthCheckNodePort",
    "ipFamilies",
    "nodePort",
    "serviceAccount",
    "volumeName",
];
