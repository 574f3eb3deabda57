import type { Reserve } from "../limits/child-state.ts"
import type { RunReference, SessionMessage } from "./session-message.ts"
import type { SessionState } from "./session-state.ts"

/** Input of the `llmAgent` workflow. */
export interface LlmAgentInput {
  readonly session_id: string
  readonly run: RunReference
  /** The instruction that starts the run. */
  readonly message: SessionMessage
  /** False if the search attributes are not registered: upserting them would block the workflow. */
  readonly has_search_attributes: boolean
  /** The session whose workflow started this one; it is notified of pauses. */
  readonly parent_session_id?: string
  /** What all runs of this execution together may spend of the budget of that session; absent where it has none. */
  readonly share?: Reserve
  /** The session is bound to a thread: between runs it waits for messages until the binding ends, and it reports each run to its parent. */
  readonly stay_open?: boolean
  /** State that continue-as-new passes on; never set by a client. */
  readonly carried?: SessionState
}
