//! What a container may do: nothing that it does not need.

use k8s_openapi::api::core::v1::{Capabilities, SecurityContext};

/// What the end of a container is explained with, if it leaves no message.
pub(crate) const MESSAGE_POLICY: &str = "FallbackToLogsOnError";

/// A container without rights, on a file system that cannot be written.
pub fn container() -> SecurityContext {
    SecurityContext {
        allow_privilege_escalation: Some(false),
        read_only_root_filesystem: Some(true),
        capabilities: Some(Capabilities { drop: Some(vec!["ALL".into()]), ..Capabilities::default() }),
        ..SecurityContext::default()
    }
}
