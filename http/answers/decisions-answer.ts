import type { DecisionsAnswer } from "../../contracts/http/tool-decisions.ts"
import type { Sent } from "../../sessions/send-request.ts"

/** Returns a decision that was sent as its answer says it. */
export const decisionsAnswerOf = ({ runId, state, protectedPending, counted, undecided }: Sent): DecisionsAnswer => ({
  run_id: runId,
  state,
  ...(protectedPending === undefined ? {} : { protected_pending: [...protectedPending] }),
  ...(counted === undefined ? {} : { counted: [...counted] }),
  ...(undecided === undefined ? {} : { undecided: [...undecided] }),
})
