import { heartbeat } from "@temporalio/activity"
import type { ToolContext, ToolProgress } from "../../tools/tool.ts"
import type { RunToolInput } from "../contract/agent-activities.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"

const eventEveryMs = 500
const maxMessage = 500

/** Passes progress on as heartbeats, and as events no faster than people read. */
export const createProgress = (
  { streamed, redact }: Pick<AgentDependencies, "streamed" | "redact">,
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
    const data = { call_id: input.callId, name, ...update }
    streamed.add(input.sessionId, { type: "tool-progressed", runId: input.runId, data })
  }
}
