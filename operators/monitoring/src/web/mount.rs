//! The volume of a file, and the argument that points to it.

use api_monitoring::pod::Argument;
use k8s_openapi::api::core::v1::{Volume, VolumeMount};

use crate::web::credentials::{joined, secret};

/// What a pod needs to read a file and what the file points to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mount {
    /// Points to the file; nothing, if the file says nothing.
    pub argument: Option<Argument>,
    /// Volumes of the pod, that of the file first.
    pub volumes: Vec<Volume>,
    /// Mounts of the main container, in the same order.
    pub mounts: Vec<VolumeMount>,
}

/// A file that a Secret holds under its name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConfigFile<'f> {
    /// Where it is mounted.
    pub(crate) directory: &'f str,
    /// Its name.
    pub(crate) name: &'static str,
    /// The Secret.
    pub(crate) secret: &'f str,
    /// The volume.
    pub(crate) volume: &'static str,
}

impl ConfigFile<'_> {
    /// The argument that points to the file.
    pub(crate) fn argument(&self, name: &str) -> Argument {
        Argument { name: name.to_owned(), value: self.path() }
    }

    /// The file alone, without an argument.
    pub(crate) fn mount(&self) -> Mount {
        let mount = VolumeMount {
            name: self.volume.to_owned(),
            read_only: Some(true),
            mount_path: self.path(),
            sub_path: Some(self.name.to_owned()),
            ..VolumeMount::default()
        };
        Mount {
            argument: None,
            volumes: vec![secret(self.volume.to_owned(), self.secret)],
            mounts: vec![mount],
        }
    }

    fn path(&self) -> String {
        joined(self.directory, self.name)
    }
}
