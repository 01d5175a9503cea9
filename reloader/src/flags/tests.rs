use super::*;

fn run(arguments: &[&str]) -> Result<Flags, Error> {
    match read(arguments.iter().map(ToString::to_string))? {
        Command::Run(flags) => Ok(*flags),
        Command::Print(text) => panic!("printed {text}"),
    }
}

fn error(arguments: &[&str]) -> String {
    run(arguments).unwrap_err().to_string()
}

fn defaults() -> Flags {
    Flags {
        config_file: None,
        output_file: None,
        watched: Vec::new(),
        watch_interval: Duration::from_mins(3),
        delay_interval: Duration::from_secs(1),
        retry_interval: Duration::from_secs(5),
        reload_timeout: Duration::from_secs(30),
        method: Method::Http(Url::parse("http://127.0.0.1:9090/-/reload").unwrap()),
        ordinal_from: "POD_NAME".into(),
        listen: None,
        web_config: None,
        log: log::Settings { format: log::Format::Logfmt, level: log::Threshold::Info },
        memory_limit_set: false,
    }
}

#[test]
fn the_defaults_are_those_of_the_peer() {
    assert_eq!(run(&[]), Ok(defaults()));
}

#[test]
fn the_arguments_of_the_operator_are_parsed() {
    let flags = run(&[
        "--listen-address=:8080",
        "--web-config-file=/etc/prometheus/web_config/web-config.yaml",
        "--reload-url=https://localhost:9090/prefix/-/reload",
        "--config-file=/etc/prometheus/config/prometheus.yaml.gz",
        "--config-envsubst-file",
        "/etc/prometheus/config_out/prometheus.env.yaml",
        "--watched-dir=/etc/prometheus/rules/rules-0",
        "--watched-dir",
        "/etc/prometheus/config",
        "--log-format=json",
        "--log-level=WARN",
        "--watch-interval=0",
        "--reload-timeout=1m30s",
        "--auto-gomemlimit-ratio=0.8",
    ]);
    assert_eq!(
        flags,
        Ok(Flags {
            config_file: Some("/etc/prometheus/config/prometheus.yaml.gz".into()),
            output_file: Some("/etc/prometheus/config_out/prometheus.env.yaml".into()),
            watched: vec!["/etc/prometheus/rules/rules-0".into(), "/etc/prometheus/config".into()],
            watch_interval: Duration::ZERO,
            reload_timeout: Duration::from_secs(90),
            method: Method::Http(Url::parse("https://localhost:9090/prefix/-/reload").unwrap()),
            listen: Some(":8080".into()),
            web_config: Some("/etc/prometheus/web_config/web-config.yaml".into()),
            log: log::Settings { format: log::Format::Json, level: log::Threshold::Warn },
            memory_limit_set: true,
            ..defaults()
        })
    );
}

#[test]
fn the_signal_method_has_its_own_settings() {
    let runtime_info = Url::parse("http://127.0.0.1:9090/api/v1/status/runtimeinfo");
    assert_eq!(
        run(&["--reload-method=signal", "--process-executable-name=agent"]).map(|flags| flags.method),
        Ok(Method::Signal { process: "agent".into(), runtime_info })
    );
    assert_eq!(
        run(&["--reload-method", "signal", "--runtimeinfo-url="]).map(|flags| flags.method),
        Ok(Method::Signal { process: "prometheus".into(), runtime_info: None })
    );
}

#[test]
fn an_empty_value_is_the_same_as_none() {
    assert_eq!(run(&["--listen-address=", "--web-config-file=", "--config-file="]), Ok(defaults()));
}

#[test]
fn errors_name_the_flag() {
    assert_eq!(error(&["--config-fil=x"]), "unknown flag --config-fil; --help lists all flags");
    assert_eq!(error(&["--no-config-file"]), "unknown flag --no-config-file; --help lists all flags");
    assert_eq!(error(&["--config-file"]), "--config-file needs a value");
    assert_eq!(error(&["--config-file", "--log-level=info"]), "--config-file needs a value");
    assert_eq!(error(&["--version=true"]), "--version does not take a value");
    assert_eq!(error(&["--log-level=info", "--log-level=info"]), "--log-level cannot be repeated");
    assert_eq!(
        error(&["--watch-interval=5"]),
        "--watch-interval=\"5\": expected a duration such as 30s or 1m30s"
    );
    assert_eq!(error(&["--retry-interval=0"]), "--retry-interval=\"0\": expected more than 0");
    assert_eq!(error(&["--reload-method=magic"]), "--reload-method=\"magic\": expected http or signal");
    assert_eq!(error(&["--log-format=xml"]), "--log-format=\"xml\": expected logfmt or json");
    assert_eq!(
        error(&["--auto-gomemlimit-ratio=lots"]),
        "--auto-gomemlimit-ratio=\"lots\": expected a number"
    );
    assert_eq!(
        error(&["--reload-url=user:secret@host"]),
        "--reload-url=\"…\": expected a URL that starts with http:// or https://"
    );
    for word in ["now", "-v", "--", "-"] {
        assert_eq!(run(&[word]), Err(Error::Unexpected(word.into())));
    }
}

#[test]
fn switches_print_and_can_be_turned_off() {
    let printed = |arguments: &[&str]| read(arguments.iter().map(ToString::to_string));
    assert_eq!(printed(&["--short-version"]), Ok(Command::Print(crate::VERSION.into())));
    assert_eq!(printed(&["--version"]), Ok(Command::Print(version())));
    assert_eq!(printed(&["--help"]), Ok(Command::Print(table::help())));
    assert_eq!(printed(&["--no-version"]), Ok(Command::Run(Box::new(defaults()))));
}
