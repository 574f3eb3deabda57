/**
 * Every error code that others see, with what each adapter makes of it: the HTTP status and the exit code of the command line.
 * One table; adapters look up, they do not decide.
 */
export const errorTable = {
  invalid_argument: { http: 400, exit: 2 },
  invalid_config: { http: 400, exit: 2 },
  invalid_json: { http: 400, exit: 2 },
  unauthorized: { http: 401, exit: 2 },
  forbidden: { http: 403, exit: 2 },
  session_not_found: { http: 404, exit: 2 },
  checkpoint_not_found: { http: 404, exit: 2 },
  call_not_found: { http: 404, exit: 2 },
  agent_not_found: { http: 422, exit: 2 },
  model_not_found: { http: 422, exit: 2 },
  tool_not_found: { http: 422, exit: 2 },
  run_mismatch: { http: 409, exit: 2 },
  session_already_running: { http: 409, exit: 2 },
  session_not_running: { http: 409, exit: 2 },
  session_not_paused: { http: 409, exit: 2 },
  checkpoint_stale: { http: 409, exit: 2 },
  already_decided: { http: 409, exit: 2 },
  idempotency_conflict: { http: 409, exit: 2 },
  limit_widened: { http: 422, exit: 2 },
  price_unknown: { http: 422, exit: 2 },
  payload_too_large: { http: 413, exit: 2 },
  rate_limited: { http: 429, exit: 1 },
  key_missing: { http: 422, exit: 2 },
  sandbox_unavailable: { http: 422, exit: 2 },
  no_worker: { http: 503, exit: 2 },
  data_dir_unusable: { http: 503, exit: 2 },
  port_in_use: { http: 503, exit: 2 },
  temporal_unavailable: { http: 503, exit: 1 },
  storage_failed: { http: 503, exit: 1 },
  provider_error: { http: 502, exit: 1 },
  run_failed: { http: 500, exit: 1 },
  internal_error: { http: 500, exit: 1 },
} as const satisfies Record<string, { readonly http: number; readonly exit: 1 | 2 }>

export type ErrorCode = keyof typeof errorTable
