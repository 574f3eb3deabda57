/** An environment variable that the product reads. */
export interface EnvironmentVariable {
  readonly name: string
  /** One or two sentences of Markdown: what it sets, its unit, and what applies without it. */
  readonly description: string
  /** Its value is removed from everything that is shown or stored. */
  readonly isSecret?: true
}

export interface EnvironmentGroup {
  readonly title: string
  readonly variables: readonly EnvironmentVariable[]
}

const variable = (name: string, description: string): EnvironmentVariable => ({ name, description })
const secret = (name: string, description: string): EnvironmentVariable => ({ name, description, isSecret: true })

const adjutant = [
  variable("ADJUTANT_CONFIG", "Path of the configuration file; `--config` takes precedence."),
  variable(
    "ADJUTANT_TRUST",
    "`1` trusts the configuration that is found in a project, as `--trust` does; for CI. Nothing is stored.",
  ),
  variable("ADJUTANT_DATA_DIR", "Path of the data directory; `--data-dir` takes precedence."),
  variable(
    "ADJUTANT_MACHINE",
    "Name of this machine among those that share a store: the tools of a session run on the machine that has its working directory. Default: a name made of the system's id, or the host name where the system has none. Without effect on an embedded engine, whose machine is its data directory.",
  ),
  secret(
    "ADJUTANT_API_TOKEN",
    "Bearer token of the HTTP API, with every scope. Without a configured token, the server listens on loopback only, and its token is in the file `api-token` of the data directory. With `--server`, the token that the command sends.",
  ),
  variable(
    "ADJUTANT_IN_RUN",
    "Set by workers for the MCP servers of their runs. With it, `adjutant mcp` does not accept approvals, as with `--no-approve`: its client is an agent.",
  ),
  variable(
    "ADJUTANT_SCRATCH",
    "Set by workers for the commands of a task with `enable_sandbox`: the path of its scratch folder, the only one that they can write to. Its files are erased when the run ends.",
  ),
  variable(
    "CI",
    "Set by CI systems. The last command then ends the service that a command has started, as with `service.idleMinutes: 0`.",
  ),
  variable(
    "GITHUB_ACTIONS",
    "Set to `true` by GitHub Actions. Followed runs then print annotations for failures and pending calls.",
  ),
  variable("GITHUB_STEP_SUMMARY", "Set by GitHub Actions: the file to which followed runs add their outcome."),
  variable(
    "ADJUTANT_TEST_TIMING",
    "For the tests of Adjutant itself: waits that `timing` does not contain or that differ from it, as a JSON object. They can break guarantees: do not set it for work that counts.",
  ),
  variable(
    "ADJUTANT_SERVER_LINGER_MS",
    "How long the embedded Temporal server continues if the processes that used it were killed, in milliseconds. Default: 120000.",
  ),
  variable(
    "ADJUTANT_SERVER_START_TIMEOUT_MS",
    "How long the embedded Temporal server can take to become ready, in milliseconds. Default: 60000.",
  ),
]

const models = [
  variable("LLM_MODEL_ID", "Id of the model `main`."),
  secret("LLM_API_KEY", "API key of that model. Without it, the key of its provider is used."),
  variable(
    "LLM_BASE_URL",
    "Address of an OpenAI-compatible server for that model; needs `LLM_MODEL_ID`. Without it, the provider follows from the id.",
  ),
  variable("LIGHT_LLM_MODEL_ID", "Id of the model `light`."),
  secret("LIGHT_LLM_API_KEY", "API key of that model. Without it and `LIGHT_LLM_BASE_URL`, the key of `main` is used."),
  variable(
    "LIGHT_LLM_BASE_URL",
    "Address of an OpenAI-compatible server for that model; needs `LIGHT_LLM_MODEL_ID`. Without it and `LIGHT_LLM_API_KEY`, that of `main` is used.",
  ),
  secret("ANTHROPIC_API_KEY", "API key for models of Anthropic."),
  variable("ANTHROPIC_BASE_URL", "Address of the Anthropic API, if it is not Anthropic's own."),
  secret("OPENAI_API_KEY", "API key for models of OpenAI."),
  secret("AZURE_OPENAI_API_KEY", "API key for models of Azure OpenAI."),
  variable("AZURE_OPENAI_ENDPOINT", "Address of the resource of Azure OpenAI, for models without `baseUrl`."),
  variable("OPENAI_BASE_URL", "Address of the OpenAI API, if it is not OpenAI's own."),
  variable("OPENAI_ORG_ID", "Organization of requests to OpenAI's own server; no other server gets it."),
  variable("OPENAI_PROJECT_ID", "Project of requests to OpenAI's own server; no other server gets it."),
  secret(
    "ANTHROPIC_CUSTOM_HEADERS",
    "Headers of requests to Anthropic's own server, one in each line: `name: value`. No other server gets them: use `headers` or `headersEnv` of a model.",
  ),
  secret("OPENAI_CUSTOM_HEADERS", "The same for OpenAI's own server."),
]

/** The variables with headers that the vendors' clients read by themselves. */
export const vendorHeaderVariables: readonly string[] = ["ANTHROPIC_CUSTOM_HEADERS", "OPENAI_CUSTOM_HEADERS"]

const temporal = [
  variable(
    "TEMPORAL_ADDRESS",
    "Address of the Temporal server, as `host:port`. Without it, the embedded server is used.",
  ),
  variable("TEMPORAL_NAMESPACE", "Namespace to use. Default: `default`."),
  variable(
    "TEMPORAL_UI_URL",
    "Address of the Temporal UI, for links to sessions. Known without it: the UI of the embedded server and of Temporal Cloud.",
  ),
  secret("TEMPORAL_API_KEY", "API key of Temporal Cloud."),
  variable("TEMPORAL_PROFILE", "Profile of the Temporal configuration file to use. Default: `default`."),
  variable("TEMPORAL_CONFIG_FILE", "Path of the Temporal configuration file. Default: that of the `temporal` program."),
  variable("TEMPORAL_TLS", "Whether the connection uses TLS: `true` or `false`."),
  variable("TEMPORAL_TLS_CLIENT_CERT_PATH", "Path of the client certificate."),
  variable("TEMPORAL_TLS_CLIENT_CERT_DATA", "The client certificate itself."),
  variable("TEMPORAL_TLS_CLIENT_KEY_PATH", "Path of the client key."),
  secret("TEMPORAL_TLS_CLIENT_KEY_DATA", "The client key itself."),
  variable("TEMPORAL_TLS_SERVER_CA_CERT_PATH", "Path of the CA certificate of the server."),
  variable("TEMPORAL_TLS_SERVER_CA_CERT_DATA", "The CA certificate of the server itself."),
  variable("TEMPORAL_TLS_SERVER_NAME", "Name that the certificate of the server must have."),
  variable(
    "TEMPORAL_TLS_DISABLE_HOST_VERIFICATION",
    "Whether the name in the certificate is not checked: `true` or `false`.",
  ),
  secret(
    "TEMPORAL_CODEC_AUTH",
    "Not used: `encryption` encrypts payloads without a codec server. Workers and `adjutant doctor` warn if it is set.",
  ),
  variable(
    "TEMPORAL_CODEC_ENDPOINT",
    "Not used: `encryption` encrypts payloads without a codec server. Workers and `adjutant doctor` warn if it is set.",
  ),
  variable("TEMPORAL_GRPC_META_<NAME>", "Metadata that is sent with every request to Temporal."),
]

const telemetry = [
  variable(
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "Address of a receiver of OpenTelemetry, such as `http://127.0.0.1:4318`. Workers send it the traces of runs and their metrics, and servers and workers their logs, as OTLP over HTTP. Without it, nothing is sent.",
  ),
  variable(
    "OTEL_EXPORTER_OTLP_PROTOCOL",
    "`http/json` or `http/protobuf`; with any other one, nothing is sent, and workers and `adjutant doctor` say so. Metrics are always sent as `http/protobuf`. Default: `http/json`.",
  ),
  variable(
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "Whole address for traces, with its path; takes precedence over `OTEL_EXPORTER_OTLP_ENDPOINT`.",
  ),
  variable(
    "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
    "Whole address for metrics, with its path; takes precedence over `OTEL_EXPORTER_OTLP_ENDPOINT`.",
  ),
  variable(
    "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT",
    "Whole address for logs, with its path; takes precedence over `OTEL_EXPORTER_OTLP_ENDPOINT`.",
  ),
  secret("OTEL_EXPORTER_OTLP_HEADERS", "Headers of these requests: `name=value,name=value`."),
  secret("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "Further headers of requests with traces."),
  secret("OTEL_EXPORTER_OTLP_METRICS_HEADERS", "Further headers of requests with metrics."),
  secret("OTEL_EXPORTER_OTLP_LOGS_HEADERS", "Further headers of requests with logs."),
  variable("OTEL_EXPORTER_OTLP_TIMEOUT", "Time limit of one request in milliseconds. Default: 10000."),
  variable("OTEL_SERVICE_NAME", "Name of the service in traces. Default: `adjutant`."),
  variable("OTEL_RESOURCE_ATTRIBUTES", "Further attributes of the service: `name=value,name=value`."),
  variable("OTEL_TRACES_EXPORTER", "`none` sends no traces."),
  variable(
    "OTEL_METRICS_EXPORTER",
    "`none` sends no metrics. `adjutant worker --metrics-port` serves them instead of sending them.",
  ),
  variable("OTEL_METRIC_EXPORT_INTERVAL", "Milliseconds between two requests with metrics. Default: 60000."),
  variable("OTEL_LOGS_EXPORTER", "`none` sends no logs."),
  variable(
    "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT",
    "`true` adds prompts, answers, arguments and results to traces, without secrets. Default: none of them.",
  ),
  variable(
    "TRACEPARENT",
    "Trace of the program that starts `adjutant`, as W3C Trace Context has it. A task that the command starts continues it.",
  ),
  variable("OTEL_SDK_DISABLED", "`true` sends nothing."),
]

const store = [
  secret("PGPASSWORD", "Password of the PostgreSQL store."),
  variable("PGUSER", "User of the PostgreSQL store, if `store.url` names none. Default: the user of the process."),
]

const system = [
  variable("PATH", "Where programs are found, among them `temporal`, `bwrap`, `docker` and `go`."),
  variable(
    "HOME",
    "The home directory: the search for the configuration file ends there, and `.cache` in it is the cache.",
  ),
  variable("XDG_CONFIG_HOME", "Directory in which `adjutant service install` writes its unit. Default: `~/.config`."),
  variable(
    "XDG_CACHE_HOME",
    "Directory for downloaded programs and compiled code. Default: `.cache` in the home directory.",
  ),
  variable(
    "XDG_STATE_HOME",
    "Directory for the data directories of projects and the record of trusted configurations. Default: `.local/state` in the home directory.",
  ),
  variable("CONTAINER_HOST", "Socket of Podman, which stays hidden from commands in the sandbox."),
  variable("NODE_COMPILE_CACHE", "Directory for compiled code. Default: a folder of Adjutant in the cache."),
]

const network = [
  variable("NODE_EXTRA_CA_CERTS", "File with more certificates to trust. Commands in the sandbox get it as well."),
  variable(
    "HTTPS_PROXY",
    "Address of the proxy for `https` addresses, also as `https_proxy`, which takes precedence. Loopback is always reached directly.",
  ),
  variable("HTTP_PROXY", "The same for `http` addresses, and for `https` ones without `HTTPS_PROXY`."),
  variable(
    "NO_PROXY",
    "Hosts that are reached without a proxy, separated by commas: `*`, `example.com` (with all hosts below it), `host:port`, `10.0.0.0/8`.",
  ),
]

const docker = [
  variable("DOCKER_HOST", "Address of the Docker engine."),
  variable("DOCKER_CONTEXT", "Docker context to use."),
  variable("DOCKER_CONFIG", "Directory of the Docker client's configuration."),
  variable("DOCKER_CERT_PATH", "Directory of the certificates for the engine."),
  variable("DOCKER_TLS", "Whether the connection to the engine uses TLS."),
  variable("DOCKER_TLS_VERIFY", "Whether the certificate of the engine is checked."),
  variable("DOCKER_API_VERSION", "Version of the engine's API to use."),
  variable("SSH_AUTH_SOCK", "Socket of the SSH agent, for an engine that is reached over SSH."),
  variable("USER", "Name of the user, for an engine that is reached over SSH."),
  variable(
    "XDG_RUNTIME_DIR",
    "Directory of the socket of a rootless engine, and of the socket of the service if the path of the data directory is too long.",
  ),
]

const terminal = [
  variable("NO_COLOR", "If it is set to anything, nothing is coloured at a terminal."),
  variable("TERM", "`dumb` means a terminal without colours and without a status line."),
  variable("PAGER", "Command that shows a long preview at a terminal; empty: none. Default: `less -R` if it is there."),
  variable("VISUAL", "Command of the editor for the arguments of a call; takes precedence over `EDITOR`."),
  variable("EDITOR", "Command of the editor for the arguments of a call. Default: `vi` if it is there."),
]

/** Every environment variable that the product reads by a fixed name. `docs/reference/environment.md` is generated from it. */
export const environmentGroups: readonly EnvironmentGroup[] = [
  { title: "Adjutant", variables: adjutant },
  { title: "Models", variables: models },
  { title: "Temporal", variables: temporal },
  { title: "Telemetry", variables: telemetry },
  { title: "Store", variables: store },
  { title: "Network", variables: network },
  { title: "Docker sandbox", variables: docker },
  { title: "Terminal", variables: terminal },
  { title: "System", variables: system },
]

/** Names of the variables that contain secrets, whether or not a configuration names them. */
export const usualSecretNames: readonly string[] = environmentGroups.flatMap(({ variables }) =>
  variables.flatMap(({ name, isSecret }) => (isSecret === true ? [name] : [])),
)
