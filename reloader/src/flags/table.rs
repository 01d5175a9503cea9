//! The list of all flags. Parsing and the help text are derived from it.

/// What kind of value a flag has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// One value, at most once.
    Value,
    /// One value; the flag can be repeated.
    Repeated,
    /// No value; `--no-…` turns the switch off.
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
    switch("help", "print this help"),
    value("config-file", "", "the configuration file to watch; gzip is detected"),
    value(
        "config-envsubst-file",
        "",
        "the file to write the configuration to, decompressed and with $(VARIABLES) replaced",
    ),
    value(
        "watch-interval",
        "3m",
        "time between two passes if no change is reported; 0: expand once and exit",
    ),
    value("delay-interval", "1s", "minimum time between two reloads; the first change is reloaded at once"),
    value("retry-interval", "5s", "time until the next attempt after a failure"),
    value("reload-timeout", "30s", "timeout of a request to the server"),
    value("auto-gomemlimit-ratio", "0.0", "accepted and ignored: there is no Go runtime"),
    Flag {
        name: "watched-dir",
        kind: Kind::Repeated,
        default: "",
        help: "a directory whose files also belong to the configuration; can be repeated",
    },
    value("reload-method", "http", "http: POST to the reload URL; signal: SIGHUP to a process"),
    value("process-executable-name", "prometheus", "name of the process that gets the signal"),
    value(
        "statefulset-ordinal-from-envvar",
        "POD_NAME",
        "the variable whose number at the end becomes STATEFULSET_ORDINAL_NUMBER",
    ),
    value("listen-address", "", "address that serves metrics, health and status; empty: none"),
    value("web-config-file", "", "TLS settings and users for that address, in the format of Prometheus"),
    value("log-format", "logfmt", "logfmt or json"),
    value("log-level", "info", "all, debug, info, warn, error or none"),
    value("reload-url", "http://127.0.0.1:9090/-/reload", "URL of the POST request that reloads the server"),
    value(
        "runtimeinfo-url",
        "http://127.0.0.1:9090/api/v1/status/runtimeinfo",
        "URL that shows whether a reload by signal succeeded; empty: do not check",
    ),
    switch("version", "print the version and the platform"),
    switch("short-version", "print only the version"),
];

/// The help text.
pub(super) fn help() -> String {
    let mut text = String::from("usage: mainstay-reloader [<flags>]\n\nFlags:\n");
    for flag in &TABLE {
        let usage = match flag.kind {
            Kind::Switch => format!("--[no-]{}", flag.name),
            Kind::Value if flag.default.is_empty() => format!("--{}=…", flag.name),
            Kind::Value => format!("--{}={}", flag.name, flag.default),
            Kind::Repeated => format!("--{}=… ...", flag.name),
        };
        text.push_str("  ");
        text.push_str(&usage);
        text.push_str("\n        ");
        text.push_str(flag.help);
        text.push('\n');
    }
    text
}
