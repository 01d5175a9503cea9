//! The names and labels of the objects of an application.

use std::collections::BTreeMap;

use kernel::declare::{Kind, Scope};

/// The kind of the resource.
pub const EXAMPLE_APP: Kind = Kind {
    group: "example-app.appdelivery.cncf.io",
    version: "v1alpha1",
    kind: "ExampleApp",
    plural: "exampleapps",
    scope: Scope::Namespaces,
};

/// The finalizer: the application is removed or disconnected before its resource is deleted.
pub const FINALIZER: &str = "example-app.appdelivery.cncf.io/cleanup";

/// The image, without a tag, unless the user names another.
pub const IMAGE: &str = "mainstay.dev/example-app";

/// The container of the application.
pub const CONTAINER: &str = "app";

/// The volume with the data.
pub const DATA: &str = "data";

/// The port of the application.
pub const PORT: i32 = 8080;

/// Annotation of an adopted `StatefulSet`: a hash of our pod template. While that does not change, the existing template
/// stays, because any other would restart the pods.
pub const ADOPTED: &str = "example-app.appdelivery.cncf.io/adopted";

/// Annotation of the features: when they last changed. Annotation of a pod: the last change that it has seen.
pub const CHANGED: &str = "example-app.appdelivery.cncf.io/features-changed";

/// Label of the pods of Jobs: the application whose data they migrate.
pub const JOB_OF: &str = "example-app.appdelivery.cncf.io/job-of";

/// The labels that select the instances of an application.
pub fn selector(app: &str) -> BTreeMap<String, String> {
    BTreeMap::from([
        ("app.kubernetes.io/name".into(), "example-app".into()),
        ("app.kubernetes.io/instance".into(), app.into()),
    ])
}

/// The label with the manager of an object. Disconnecting removes it.
pub const MANAGED_BY: &str = "app.kubernetes.io/managed-by";

/// Its value for our objects.
pub const MANAGER: &str = "mainstay";

/// Labels of everything that we manage.
pub fn labels(app: &str) -> BTreeMap<String, String> {
    let mut labels = selector(app);
    labels.insert(MANAGED_BY.into(), MANAGER.into());
    labels
}

/// The Secret with the credentials.
pub fn auth(app: &str) -> String {
    format!("{app}-auth")
}

/// The `ConfigMap` with the features.
pub fn features(app: &str) -> String {
    format!("{app}-features")
}

/// The Service that gives each instance a host name.
pub fn instances(app: &str) -> String {
    format!("{app}-instances")
}

/// The Job that migrates data to a version, or back to it.
pub fn migration(app: &str, back: bool, version: &str) -> String {
    let verb = if back { "back-to" } else { "to" };
    let version: String = version.replace('.', "-").to_lowercase().chars().take(LONGEST_VERSION).collect();
    format!("{app}-{verb}-{}", version.trim_end_matches('-'))
}

/// The maximum length of a version in a name.
const LONGEST_VERSION: usize = 14;

/// The maximum length of the name of an application: the 63 characters of a label, less what is added for Jobs and for
/// revisions of a `StatefulSet`.
pub const LONGEST_NAME: usize = 40;
