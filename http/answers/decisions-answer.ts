import type { DecisionsAnswer } from "../../contracts/http/tool-decisions.ts"
import type { Sent } from "../../sessions/messages/send-request.ts"

/** Returns a decision that was sent as its answer says it. */
export const decisionsAnswerOf = ({ runId, state, protectedPending, undecided }: Sent): DecisionsAnswer => ({
  run_id: runId,
  state,
  ...(protectedPending === undefined ? {} : { protected_pending: [...protectedPending] }),
  ...(undecided === undefined ? {} : { undecided: [...undecided] }),
})
