import { heartbeat } from "@temporalio/activity"
import type { ToolContext, ToolProgress } from "../../tools/tool.ts"
import type { RunToolInput } from "../contract/agent-activities.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"

const eventEveryMs = 500
const maxMessage = 500

/** Passes progress on as heartbeats, and as events no faster than people read. */
export const createProgress = (
  { store, redact, logger }: Pick<AgentDependencies, "store" | "redact" | "logger">,
  input: RunToolInput,
  name: string,
): NonNullable<ToolContext["progress"]> => {
  let shownAt = Number.NEGATIVE_INFINITY
  return ({ progress, total, message }: ToolProgress) => {
    const said = message === undefined ? {} : { message: redact(message).slice(0, maxMessage) }
    const update = { progress, ...(total === undefined ? {} : { total }), ...said }
    heartbeat(update)
    if (performance.now() - shownAt < eventEveryMs) return
    shownAt = performance.now()
    store.events
      .append(input.sessionId, [
        { type: "tool-progressed", runId: input.runId, data: { call_id: input.callId, name, ...update } },
      ])
      .catch((error: unknown) => logger.warn({ err: error }, "a call's progress could not be shown"))
  }
}
