interface ErrorFacts {
  readonly http: number
  readonly exit: 1 | 2
  /** One sentence of Markdown. */
  readonly meaning: string
  /** What the reader should do, in Markdown. */
  readonly action: string
}

const invalid = { http: 400, exit: 2 } as const
const missing = { http: 404, exit: 2 } as const
const conflict = { http: 409, exit: 2 } as const
const unprocessable = { http: 422, exit: 2 } as const
const unavailable = { http: 503, exit: 2 } as const
const away = { http: 503, exit: 1 } as const

/**
 * Every error code that others see: its HTTP status and exit code, what it means, and what to do. `docs/reference/errors.md` is generated from it.
 */
export const errorTable = {
  invalid_argument: {
    ...invalid,
    meaning: "A request, an option or a value is not valid.",
    action: "Correct what the message names.",
  },
  invalid_config: {
    ...invalid,
    meaning: "The configuration file or an environment variable is not valid.",
    action: "Correct the file at the line and key that the message names, or the variable.",
  },
  config_not_trusted: {
    http: 403,
    exit: 2,
    meaning: "The configuration of the project contains keys that need trust, or changed after it was trusted.",
    action: "Check the keys in the message, then run `adjutant trust`; for once, pass `--trust` or `trust: true`.",
  },
  invalid_json: { ...invalid, meaning: "The body of a request is not JSON.", action: "Send a JSON document." },
  unauthorized: {
    http: 401,
    exit: 2,
    meaning: "The token or signature of a request is missing or wrong.",
    action: "Send `Authorization: Bearer <token>`, or sign the request with the configured secret.",
  },
  forbidden: {
    http: 403,
    exit: 2,
    meaning: "The caller cannot do this, or a limit does not allow it.",
    action: "Use a token with the required scope, or change the setting that the message names.",
  },
  route_not_found: {
    ...missing,
    meaning: "The server has no such path or method.",
    action: "Compare the path and method with `/openapi.json`.",
  },
  session_not_found: {
    ...missing,
    meaning: "No session has this id, checkpoint or label.",
    action: "Run `adjutant list`, and check `--data-dir` and `store.url`.",
  },
  target_ambiguous: {
    ...conflict,
    meaning: "Several of your tasks have this label.",
    action: "Name one by its id; the message lists them.",
  },
  checkpoint_not_found: {
    ...missing,
    meaning: "No pause has this checkpoint id.",
    action: "Run `adjutant approvals` to see the pauses that wait for a decision.",
  },
  call_not_found: {
    ...missing,
    meaning: "The pause has no pending call with this id.",
    action: "Run `adjutant approvals` to see the pending calls.",
  },
  grant_not_found: {
    ...missing,
    meaning: "The session has no grant with this id.",
    action: "Run `adjutant grants <id>` to see the grants of the session.",
  },
  media_not_found: {
    ...missing,
    meaning: "The session has no image or PDF with this id.",
    action: "Take the id from `media` of a tool's result in the transcript.",
  },
  message_not_queued: { ...conflict, meaning: "A run has read the message.", action: "Steer the run instead." },
  delivery_not_found: { ...missing, meaning: "No delivery has this id.", action: "Run `adjutant deliveries`." },
  thread_not_found: {
    ...missing,
    meaning: "No session is bound to this thread.",
    action: "Run `adjutant focus` to bind the thread to a session.",
  },
  channel_not_found: {
    ...missing,
    meaning: "No channel has this name.",
    action: "Add the channel to `channels`, or correct its name.",
  },
  profile_not_found: {
    ...missing,
    meaning: "No profile has the name in the address.",
    action: "Send `GET /v1/agents`, which lists the names.",
  },
  profile_exists: {
    ...conflict,
    meaning: "A profile of this name exists already.",
    action: "Choose another name, or edit the profile.",
  },
  profile_changed: {
    ...conflict,
    meaning: "The profile has another version than the request names: someone else changed or deleted it.",
    action: "Read the profile again with `GET /v1/agents/{name}`, and repeat the change with its `version`.",
  },
  schedule_not_found: { ...missing, meaning: "No schedule has this name.", action: "Run `adjutant schedule list`." },
  schedule_exists: { ...conflict, meaning: "A schedule has this name already.", action: "Choose another name." },
  link_invalid: {
    ...missing,
    meaning: "The approval link was not issued by this server.",
    action: "Ask for a new link.",
  },
  link_expired: {
    http: 410,
    exit: 2,
    meaning: "The approval link has expired.",
    action: "Ask for a new link, or decide in another way.",
  },
  link_used: {
    http: 410,
    exit: 2,
    meaning: "The pause of this approval link has already been decided.",
    action: "No action is required; `adjutant info <id>` shows the session.",
  },
  agent_not_found: {
    ...invalid,
    meaning: "No profile has this name.",
    action: "Run `adjutant agents`, or add the profile to `agents`.",
  },
  model_not_found: {
    ...invalid,
    meaning: "No model has this name.",
    action: "Use a name from `models`, or the id of a model in the built-in price table.",
  },
  tool_not_found: {
    ...invalid,
    meaning: "No tool has this name.",
    action: "Correct the name, or check that the MCP server of the tool is configured and running.",
  },
  run_mismatch: {
    ...conflict,
    meaning: "The session is in another run than the request names.",
    action: "Read the session again and use its `run_id`.",
  },
  session_already_running: {
    ...conflict,
    meaning: "The session is running and does not accept a new message.",
    action: "Wait, queue the message as a follow-up, or steer the run.",
  },
  session_not_running: {
    ...conflict,
    meaning: "The session has no active run.",
    action: "Send a message to start one.",
  },
  session_not_paused: {
    ...conflict,
    meaning: "The session is not paused, so nothing can be decided.",
    action: "Run `adjutant info <id>` to see its status.",
  },
  checkpoint_stale: {
    ...conflict,
    meaning: "The checkpoint is no longer open.",
    action: "Run `adjutant info <id>` to see what is pending.",
  },
  already_decided: {
    ...conflict,
    meaning: "The call has already been decided differently.",
    action: "No action is required; `adjutant audit <id>` shows who decided.",
  },
  idempotency_conflict: {
    ...conflict,
    meaning: "The idempotency key was used for a different request, or that request is still in progress.",
    action: "Use a new key for a new request; otherwise retry later.",
  },
  limit_widened: {
    ...unprocessable,
    meaning: "The request would widen a limit of the session.",
    action:
      "Keep or narrow the limit, or start a new session. Only the limit that ended the last run can be raised, by someone who may approve.",
  },
  price_unknown: {
    ...invalid,
    meaning: "A budget in dollars was set for a model without a price.",
    action: "Add the price to `prices`, or use a budget in tokens.",
  },
  payload_too_large: {
    http: 413,
    exit: 2,
    meaning: "The request is larger than the server accepts.",
    action: "Send less at once.",
  },
  unsupported_media_type: {
    http: 415,
    exit: 2,
    meaning: "The body of a request is not sent as JSON.",
    action: "Send `Content-Type: application/json`.",
  },
  rate_limited: {
    http: 429,
    exit: 1,
    meaning: "There are too many requests, event streams or pending deliveries.",
    action: "Wait as long as `Retry-After` says, or clear the queue that the message names.",
  },
  key_missing: {
    ...unprocessable,
    meaning: "The model has no API key, or the provider refuses it.",
    action: "Set the environment variable that the message names.",
  },
  sandbox_unavailable: {
    ...unprocessable,
    meaning: "No configured sandbox works where the tools run.",
    action: "Run `adjutant doctor`, then install a sandbox or change `security.sandbox`.",
  },
  needs_approval: {
    http: 403,
    exit: 1,
    meaning: "Only a person can approve the call, and the run asks nobody.",
    action: "Start the run with `--pause-on-approval`, or with `--unconfined` if its commands may leave the sandbox.",
  },
  no_worker: {
    ...unavailable,
    meaning: "No worker is running that could do this work.",
    action: "Start `adjutant worker` or `adjutant dev`.",
  },
  service_unavailable: {
    ...unavailable,
    meaning: "The service of the data directory did not start, or another process is it.",
    action: "Read the log that the message names, or run `adjutant service status`.",
  },
  service_stopped: { ...away, meaning: "A person has stopped the service.", action: "Run `adjutant wait <id>`." },
  data_dir_unusable: {
    ...unavailable,
    meaning: "The data directory or a file in it cannot be used.",
    action: "Correct its owner and mode, or choose another one with `--data-dir`.",
  },
  port_in_use: {
    ...unavailable,
    meaning: "Another program uses the port.",
    action: "Choose another one with `--port`, or 0 for any free port.",
  },
  server_unreachable: {
    http: 502,
    exit: 1,
    meaning: "The server of `--server` cannot be reached, or is not an Adjutant server.",
    action: "Check the address, and that `adjutant serve` or `adjutant dev` runs there.",
  },
  temporal_unavailable: {
    ...away,
    meaning: "Temporal cannot be reached or does not answer.",
    action: "Run `adjutant doctor`, and check `TEMPORAL_ADDRESS`.",
  },
  engine_mismatch: {
    ...unavailable,
    meaning: "The store belongs to another Temporal than the one that answers.",
    action: "Check `TEMPORAL_ADDRESS` and `TEMPORAL_NAMESPACE`; to move the store, run `adjutant engine move`.",
  },
  session_missing: {
    ...away,
    meaning: "Temporal does not know sessions that are open in the store.",
    action: "Check that Temporal has its data; then run `adjutant reconcile`.",
  },
  storage_failed: {
    ...away,
    meaning: "The store cannot be read or written.",
    action: "Check the disk or the database that the message names, then retry.",
  },
  provider_error: {
    http: 502,
    exit: 1,
    meaning: "The provider of the model failed or refused the request.",
    action: "Read the message; retry later if the provider is down.",
  },
  context_exceeded: {
    http: 422,
    exit: 1,
    meaning: "The conversation does not fit into the context of the model, even after it was shortened.",
    action:
      "Start a new session with a shorter instruction, use a model with a larger context, or check `compaction` and `contextTokens`.",
  },
  login_failed: { http: 502, exit: 1, meaning: "A login failed.", action: "Read the message, and log in again." },
  run_failed: { http: 500, exit: 1, meaning: "The run failed.", action: "Read the message and the log of the worker." },
  internal_error: {
    http: 500,
    exit: 1,
    meaning: "A defect in Adjutant.",
    action: "Run the command with `--verbose`, or look up the `request_id` in the log of the server, and report it.",
  },
} as const satisfies Record<string, ErrorFacts>

export type ErrorCode = keyof typeof errorTable

/** Returns whether a value, such as the code in an answer of a server, is a code of the table. */
export const isErrorCode = (value: unknown): value is ErrorCode =>
  typeof value === "string" && Object.hasOwn(errorTable, value)
