//! The ports of a kubelet.

/// Names and numbers, in the order in which every object lists them.
pub(crate) fn all(plain_http: bool) -> impl Iterator<Item = (&'static str, i32)> {
    let plain = plain_http.then_some(("http-metrics", 10255));
    [("https-metrics", 10250), ("cadvisor", 4194)].into_iter().chain(plain)
}
