//! The volume of a configuration file, and the argument that points to it.

use api_monitoring::pod::Argument;
use k8s_openapi::api::core::v1::{Volume, VolumeMount};

use crate::web::credentials::joined;
use crate::workload::arguments::argument;
use crate::workload::volume::{read_only, secret};

/// The volumes and mounts of a configuration file and of the files that it refers to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mount {
    /// The argument that points to the file; nothing, if the file is empty.
    pub argument: Option<Argument>,
    /// The volumes, that of the file first.
    pub volumes: Vec<Volume>,
    /// The mounts of the main container, in the same order.
    pub mounts: Vec<VolumeMount>,
}

/// A configuration file in a Secret, whose key is the name of the file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConfigFile<'f> {
    /// The directory that it is mounted into.
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
        argument(name, self.path())
    }

    /// The mount of the file, without an argument.
    pub(crate) fn mount(&self) -> Mount {
        let mount =
            VolumeMount { sub_path: Some(self.name.to_owned()), ..read_only(self.volume, self.path()) };
        Mount { argument: None, volumes: vec![secret(self.volume, self.secret)], mounts: vec![mount] }
    }

    fn path(&self) -> String {
        joined(self.directory, self.name)
    }
}
