import { createHash } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import { canonicalJson } from "../../domain/text/json/canonical-json.ts"
import { spawnRefusal } from "../../domain/delegation/spawn-refusals.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { replyLater, replyNow, type Reply } from "../../sessions/delegation-tools/sub-agents.ts"
import type { SpawnCall, SpawnOutcome } from "../../sessions/spawn/spawn-request.ts"
import type { TaskReport } from "../../sessions/view/task-report.ts"
import { awaitSessions } from "./await-sessions.ts"
import type { ClientLater, McpContext, ClientToolCall } from "../mcp-context.ts"
import { startOnce } from "./unanswered-starts.ts"
import { readRoundState, writeRoundState } from "../resume/round-state.ts"

/** How often a pause is checked again if the client cannot show its questions. */
const pausedPollMs = 1_000

/** Returns the sub-agent that a previous round of this `Task` call started. */
const startedBefore = async (
  { store, caller }: McpContext,
  call: ClientToolCall,
): Promise<SpawnOutcome | undefined> => {
  const { sessionId } = readRoundState(call.requestState)
  const row = sessionId === undefined ? undefined : await store.sessions.get(sessionId)
  if (row?.internal["tool"] !== "Task" || row.caller !== caller) return undefined
  return {
    ...{ kind: "started", title: row.title ?? "", model: row.model, tools: [], sandboxed: false },
    child: { sessionId: row.id, runId: row.runId ?? "", childSessionKey: row.sessionKey },
  }
}

/** Returns what equal calls of one caller have in common. */
const startKey = (tool: SpawnCall["tool"], args: unknown): string =>
  createHash("sha256")
    .update(canonicalJson([tool, args]))
    .digest("hex")

const spawnOnce = async (context: McpContext, call: ClientToolCall, asked: SpawnCall): Promise<SpawnOutcome> => {
  const before = asked.tool === "Task" ? await startedBefore(context, call) : undefined
  if (before !== undefined) return before
  const { client, caller, cwd } = context
  const repetition = { key: startKey(asked.tool, call.args), isRepeated: call.isRepeated }
  const start = () => client.spawn({ call: asked, caller, cwd, actor: call.actor, repetition })
  try {
    return await startOnce(context, call, { tool: asked.tool, start })
  } catch (error) {
    if (!isAdjutantError(error)) throw error
    return { kind: "refused", refusal: spawnRefusal(error) }
  }
}

/** Starts a sub-agent of a client. For one that declared the extension, the call becomes a task. */
export const spawnForClient = async (
  context: McpContext,
  call: ClientToolCall,
  asked: SpawnCall,
): Promise<Reply<SpawnOutcome, ClientLater>> => {
  const outcome = await spawnOnce(context, call, asked)
  return outcome.kind === "started" && call.wantsTask
    ? replyLater({ kind: "task", sessionId: outcome.child.sessionId })
    : replyNow(outcome)
}

/**
 * Waits for the sub-agent of a `Task` call, at most until the call has to be answered. A client that gives up the call cancels nothing: most do it
 * because of a time limit, and the answer can still be collected.
 */
export const untilTaskEnds = async (
  context: McpContext,
  call: ClientToolCall,
  sessionId: string,
): Promise<Reply<TaskReport, ClientLater>> => {
  let current = call
  for (;;) {
    const awaited = await awaitSessions(context, current, { ids: [sessionId] })
    if (awaited.kind === "ask")
      return replyLater({
        kind: "ask",
        requests: awaited.requests,
        state: writeRoundState({ ...awaited.state, sessionId }),
      })
    const [report] = awaited.reports
    const isOver = awaited.isAskedOut || Date.now() + pausedPollMs >= call.answerBy
    if (report !== undefined && (isFinal(report.facts.status) || isOver)) return replyNow(report)
    call.progress?.(`${sessionId} is waiting for a person; run adjutant resume ${sessionId}`)
    await delay(pausedPollMs, undefined, { signal: call.signal })
    current = { ...call, inputResponses: {}, requestState: writeRoundState({ ...awaited.state, sessionId }) }
  }
}
