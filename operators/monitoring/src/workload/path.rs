//! Paths and URLs in their shortest form.

/// The shortest equivalent path: without double slashes, `.` and, as far as possible, `..`.
pub fn clean(path: &str) -> String {
    let rooted = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if rooted => {}
            part => parts.push(part),
        }
    }
    match (rooted, parts.join("/")) {
        (true, path) => format!("/{path}"),
        (false, path) if path.is_empty() => ".".into(),
        (false, path) => path,
    }
}

/// The directory of a file; `.`, if the file has no directory.
pub fn directory(file: &str) -> String {
    clean(file.rsplit_once('/').map_or("", |(directory, _)| match directory {
        "" => "/",
        directory => directory,
    }))
}

/// The URL of a path on a host.
pub fn url(scheme: &str, host: &str, path: &str) -> String {
    let slash = if path.is_empty() || path.starts_with('/') { "" } else { "/" };
    format!("{scheme}://{host}{slash}{}", escaped(path))
}

/// A path with all characters escaped that the path of a URL cannot contain.
fn escaped(path: &str) -> String {
    let mut escaped = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~$&+,/:;=@".contains(&byte) {
            escaped.push(byte.into());
        } else {
            let hex = |digit: u8| char::from(b"0123456789ABCDEF"[usize::from(digit)]);
            escaped.extend(['%', hex(byte >> 4), hex(byte & 15)]);
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_written_in_its_shortest_form() {
        for (path, short) in [
            ("", "."),
            ("/", "/"),
            ("//-/ready", "/-/ready"),
            ("/prefix/", "/prefix"),
            ("prefix//x/./y", "prefix/x/y"),
            ("/../a", "/a"),
            ("../a/..", ".."),
            ("a/../../b", "../b"),
            ("a/..", "."),
            ("/a/b/../c", "/a/c"),
        ] {
            assert_eq!(clean(path), short, "{path}");
        }
    }

    #[test]
    fn a_file_has_a_directory() {
        for (file, path) in
            [("file", "."), ("./file", "."), ("/file", "/"), ("a/b/file", "a/b"), ("/a//file", "/a")]
        {
            assert_eq!(directory(file), path, "{file}");
        }
    }

    #[test]
    fn an_address_has_an_escaped_path() {
        assert_eq!(url("http", "localhost:9090", "/-/reload"), "http://localhost:9090/-/reload");
        assert_eq!(url("https", "h", "a b?c#d/ü"), "https://h/a%20b%3Fc%23d/%C3%BC");
        assert_eq!(url("https", "h", ""), "https://h");
    }

    proptest::proptest! {
        #[test]
        fn the_shortest_form_stays(path in "[/.a-c]{0,12}") {
            let short = clean(&path);
            proptest::prop_assert_eq!(clean(&short), short);
        }
    }
}
