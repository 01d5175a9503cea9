//! Every flag: parsing and help are derived from this list.

/// The value of a flag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// One value, at most once.
    Value,
    /// One value, as often as wanted.
    Repeated,
    /// None; `--no-…` takes it back.
    Switch,
}

/// One flag.
#[derive(Debug)]
pub(super) struct Flag {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) default: &'static str,
    pub(super) help: &'static str,
}

const fn value(name: &'static str, default: &'static str, help: &'static str) -> Flag {
    Flag { name, kind: Kind::Value, default, help }
}

const fn switch(name: &'static str, help: &'static str) -> Flag {
    Flag { name, kind: Kind::Switch, default: "", help }
}

pub(super) const TABLE: [Flag; 20] = [
    switch("help", "print this page"),
    value("config-file", "", "the configuration to watch; gzip is recognised"),
    value(
        "config-envsubst-file",
        "",
        "where the configuration is written, decompressed and with $(VARIABLES) replaced",
    ),
    value(
        "watch-interval",
        "3m",
        "look again after this long without being told of a change; 0: expand once and end",
    ),
    value("delay-interval", "1s", "least time between two reloads; the first change goes out at once"),
    value("retry-interval", "5s", "try again this long after something failed"),
    value("reload-timeout", "30s", "longest wait for the answer to a request"),
    value("auto-gomemlimit-ratio", "0.0", "accepted and without effect: there is no Go runtime here"),
    Flag {
        name: "watched-dir",
        kind: Kind::Repeated,
        default: "",
        help: "a directory whose files also count; may be repeated",
    },
    value("reload-method", "http", "http: POST to the reload URL; signal: SIGHUP to a process"),
    value("process-executable-name", "prometheus", "name of that process"),
    value(
        "statefulset-ordinal-from-envvar",
        "POD_NAME",
        "the variable whose last number becomes STATEFULSET_ORDINAL_NUMBER",
    ),
    value("listen-address", "", "where metrics, health and status are served; empty: nowhere"),
    value("web-config-file", "", "TLS and users of that server, in the format of Prometheus"),
    value("log-format", "logfmt", "logfmt or json"),
    value("log-level", "info", "all, debug, info, warn, error or none"),
    value("reload-url", "http://127.0.0.1:9090/-/reload", "where a POST makes the neighbour reload"),
    value(
        "runtimeinfo-url",
        "http://127.0.0.1:9090/api/v1/status/runtimeinfo",
        "where the signal method learns whether a reload worked; empty: it does not ask",
    ),
    switch("version", "print the version and where it runs"),
    switch("short-version", "print the version alone"),
];

/// The help page.
pub(super) fn help() -> String {
    let mut text = String::from("usage: mainstay-reloader [<flags>]\n\nFlags:\n");
    for flag in &TABLE {
        let sample = match flag.kind {
            Kind::Switch => format!("--[no-]{}", flag.name),
            Kind::Value if flag.default.is_empty() => format!("--{}=…", flag.name),
            Kind::Value => format!("--{}={}", flag.name, flag.default),
            Kind::Repeated => format!("--{}=… ...", flag.name),
        };
        text.push_str("  ");
        text.push_str(&sample);
        text.push_str("\n        ");
        text.push_str(flag.help);
        text.push('\n');
    }
    text
}
