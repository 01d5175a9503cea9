//! The contents of image layers: the path, mode and owner of each file. Pure. The lowest layer and the shell are the
//! same in every image, so all images share their blobs.

use std::path::PathBuf;

use super::layer::Layer;
use crate::versions::Directory;

/// The path of the loader is fixed in every dynamic binary; the libraries are searched for.
const LOADER: &str = "ld-linux-x86-64.so.2";
const NOBODY: u64 = 65534;
const NONROOT: u64 = 65532;

/// The layer of every image: users, the host's certificate authorities, directories for temporary files and homes.
pub(super) fn base(certificates: Vec<u8>) -> Layer {
    let users = format!(
        "root:x:0:0:root:/root:/bin/sh\n\
         nobody:x:{NOBODY}:{NOBODY}:nobody:/home:/bin/false\n\
         nonroot:x:{NONROOT}:{NONROOT}:nonroot:/home/nonroot:/bin/false\n"
    );
    let groups = format!("root:x:0:\nnobody:x:{NOBODY}:\nnonroot:x:{NONROOT}:\n");
    let mut layer = Layer::default();
    layer.text("etc/passwd", users.into_bytes());
    layer.text("etc/group", groups.into_bytes());
    // Without this file, some resolvers query the DNS before they read the hosts file of the pod.
    layer.text("etc/nsswitch.conf", b"hosts: files dns\n".to_vec());
    layer.text("etc/ssl/certs/ca-certificates.crt", certificates);
    layer.directory("tmp", 0o1777, 0);
    layer.directory("root", 0o700, 0);
    layer.directory("home", 0o755, NOBODY);
    layer.directory("home/nonroot", 0o700, NONROOT);
    layer
}

/// Busybox under the name of each of its applets.
pub(super) fn shell(base: &Layer, busybox: PathBuf, applets: &[String]) -> Layer {
    let mut layer = Layer::on(base);
    layer.file("bin/busybox", busybox);
    for applet in applets.iter().filter(|applet| *applet != "busybox") {
        layer.link(&format!("bin/{applet}"), "busybox");
    }
    // Scripts use this one by its full path.
    layer.link("usr/bin/env", "../../bin/busybox");
    layer
}

/// The C library, for binaries that are not linked statically.
pub(super) fn libraries(base: &Layer, files: impl IntoIterator<Item = (String, PathBuf)>) -> Layer {
    let mut layer = Layer::on(base);
    for (name, source) in files {
        let directory = if name == LOADER { "lib64" } else { "lib/x86_64-linux-gnu" };
        layer.file(&format!("{directory}/{name}"), source);
    }
    layer
}

/// The program itself: files by their path in the image, and the directories that it needs.
pub(super) fn program(
    base: &Layer,
    files: impl IntoIterator<Item = (String, PathBuf)>,
    directories: &[Directory],
) -> Layer {
    let mut layer = Layer::on(base);
    for Directory { path, mode, owner } in directories {
        layer.directory(path, *mode, *owner);
    }
    for (path, source) in files {
        layer.file(&path, source);
    }
    layer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::images::layer::tests::{files, listing};

    #[test]
    fn the_base_has_users_certificates_and_directories() {
        let base = base(b"certificates".to_vec());
        assert_eq!(
            listing(&base),
            [
                "5 755 0 etc/",
                "0 644 0 etc/group",
                "0 644 0 etc/nsswitch.conf",
                "0 644 0 etc/passwd",
                "5 755 0 etc/ssl/",
                "5 755 0 etc/ssl/certs/",
                "0 644 0 etc/ssl/certs/ca-certificates.crt",
                "5 755 65534 home/",
                "5 700 65532 home/nonroot/",
                "5 700 0 root/",
                "5 1777 0 tmp/",
            ]
        );
    }

    #[test]
    fn the_shell_has_a_link_for_each_applet() {
        let (_directory, files) = files(&["busybox"]);
        let applets = ["sh", "busybox", "ls"].map(String::from);
        assert_eq!(
            listing(&shell(&Layer::default(), files[0].1.clone(), &applets)),
            [
                "5 755 0 bin/",
                "0 755 0 bin/busybox",
                "2 777 0 bin/ls -> busybox",
                "2 777 0 bin/sh -> busybox",
                "5 755 0 usr/",
                "5 755 0 usr/bin/",
                "2 777 0 usr/bin/env -> ../../bin/busybox",
            ]
        );
    }

    #[test]
    fn the_loader_is_at_its_fixed_path() {
        let (_directory, files) = files(&["libc.so.6", LOADER]);
        assert_eq!(
            listing(&libraries(&Layer::default(), files)),
            [
                "5 755 0 lib/",
                "5 755 0 lib/x86_64-linux-gnu/",
                "0 755 0 lib/x86_64-linux-gnu/libc.so.6",
                "5 755 0 lib64/",
                "0 755 0 lib64/ld-linux-x86-64.so.2",
            ]
        );
    }

    #[test]
    fn a_program_layer_does_not_repeat_the_directories_below() {
        let (_directory, mut files) = files(&["tool"]);
        files[0].0 = "/home/nonroot/bin/tool".into();
        let data = Directory { path: "/tmp/data".into(), mode: 0o775, owner: NOBODY };
        let layer = program(&base(Vec::new()), files, &[data]);
        assert_eq!(
            listing(&layer),
            ["5 755 0 home/nonroot/bin/", "0 755 0 home/nonroot/bin/tool", "5 775 65534 tmp/data/"]
        );
    }
}
