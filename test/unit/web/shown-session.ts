import type { SessionDetail } from "../../../contracts/session/session-detail.ts"

/** Returns a session as the server shows it, with the given fields. */
export const shownSession = (fields: Partial<SessionDetail>): SessionDetail => ({
  ...{ id: "s1", session_key: "agent:general:s1", status: "running", stop_reason: null, error: null, title: "Title" },
  ...{ label: null, agent: "general", model: "m", parent_session_id: null, root_session_id: "s1", forked_from: null },
  ...{ depth: 0, number: null, cwd: "/srv", run_id: "r1", checkpoint_id: null, pause_reason: null, blocked_by: [] },
  ...{
    final_message: null,
    warnings: [],
    steps_taken: 1,
    limits: null,
    temporal_url: null,
    archived_at: null,
    engine_state: null,
  },
  usage: {
    ...{ input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 },
    cost_usd: 0,
  },
  ...{ created_at: "2026-11-25T00:00:00Z", updated_at: "2026-11-25T00:00:00Z" },
  ...{
    approval: null,
    mode: "run",
    cleanup: "keep",
    agent_message: null,
    transcript: "adjutant://sessions/s1/transcript",
    queued_messages: [],
    runs: [],
  },
  ...fields,
})
