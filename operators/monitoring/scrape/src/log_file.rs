//! Paths of log files: a file name without a directory is placed in the directory for logs.

/// The directory for logs.
const DIRECTORY: &str = "/var/log/prometheus";

/// The path of a log file.
pub(crate) fn path(file: &str) -> String {
    if is_bare(file) { cleaned(&format!("{DIRECTORY}/{file}")) } else { file.to_owned() }
}

/// Whether a path has no directory, or only the current one.
fn is_bare(file: &str) -> bool {
    let directory = file.rfind('/').map_or("", |end| &file[..=end]);
    !file.is_empty() && cleaned(directory) == "."
}

/// The shortest equivalent path.
fn cleaned(path: &str) -> String {
    let absolute = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if absolute => {}
            part => parts.push(part),
        }
    }
    match (absolute, parts.join("/")) {
        (true, path) => format!("/{path}"),
        (false, path) if path.is_empty() => ".".to_owned(),
        (false, path) => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_name_goes_to_the_directory() {
        for (file, expected) in [
            ("query.log", "/var/log/prometheus/query.log"),
            ("./query.log", "/var/log/prometheus/query.log"),
            ("a/../query.log", "/var/log/prometheus/query.log"),
            ("a/query.log", "a/query.log"),
            ("../query.log", "../query.log"),
            ("/tmp/query.log", "/tmp/query.log"),
            ("/dev/stdout", "/dev/stdout"),
            ("/query.log", "/query.log"),
            ("..", "/var/log"),
            ("", ""),
        ] {
            assert_eq!(path(file), expected, "{file}");
        }
    }
}
