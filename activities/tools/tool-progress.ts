import { heartbeat } from "@temporalio/activity"
import type { ToolContext, ToolProgress } from "../../tools/tool.ts"
import type { RunToolInput } from "../contract/agent-activities.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { startOf } from "../../domain/text/foreign/well-formed.ts"

const heartbeatEveryMs = 100
const eventEveryMs = 500
const maxMessage = 1_000
/** Longer than a message that is shown, so that no secret is cut in it. */
const maxRedacted = 10_000

/** Passes progress on as heartbeats, and as events no faster than people read, of which the last one remains. What comes faster is left out. */
export const createProgress = (
  { streamed, redact }: Pick<AgentDependencies, "streamed" | "redact">,
  input: RunToolInput,
  name: string,
): NonNullable<ToolContext["progress"]> => {
  let heardAt = Number.NEGATIVE_INFINITY
  let shownAt = Number.NEGATIVE_INFINITY
  return ({ progress, total, message }: ToolProgress) => {
    const now = performance.now()
    if (now - heardAt < heartbeatEveryMs) return
    heardAt = now
    const said = message === undefined ? {} : { message: startOf(redact(startOf(message, maxRedacted)), maxMessage) }
    const update = { progress, ...(total === undefined ? {} : { total }), ...said }
    heartbeat(update)
    if (now - shownAt < eventEveryMs) return
    shownAt = now
    const data = { call_id: input.callId, name, seq: input.resultSeq, ...update }
    streamed.add(input.sessionId, { type: "tool-progressed", runId: input.runId, data })
  }
}
