import { allHandlersFinished, condition, continueAsNew } from "@temporalio/workflow"
import { activeChildren } from "../domain/child-state.ts"
import type { LlmAgentInput } from "../domain/agent-input.ts"
import { auditRest } from "./audit-operators.ts"
import { historyIsLong } from "./history-length.ts"
import type { SessionContext } from "./session-context.ts"

/**
 * Goes on in a fresh execution where this one's history is long and no child hangs on it. Everything that matters crosses over; sessions come back
 * in the middle of a wait or between two steps.
 */
export const crossOver = async (context: SessionContext): Promise<void> => {
  const { state } = context
  if (!historyIsLong(context) || activeChildren(state.run.children).length > 0) return
  await condition(allHandlersFinished)
  await auditRest(context)
  if (context.clock !== null) state.run.ranMs = context.clock.ranMs()
  await continueAsNew<(input: LlmAgentInput) => Promise<void>>({ ...context.input, carried: state })
}
