import { setTimeout as delay } from "node:timers/promises"
import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import { taskInputSchema } from "../../contracts/delegation/task-input.ts"
import { taskRefusal } from "../../domain/delegation/task/task-envelope.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { awaitSessions } from "../await-sessions.ts"
import { answered, type McpContext, type ToolCall, type ToolHandler, type ToolReply } from "../mcp-context.ts"
import { parseArguments } from "../parse-arguments.ts"
import { readRoundState, writeRoundState } from "../resume/round-state.ts"
import { envelopeOf } from "../answers/spawned-result.ts"

/** How often a pause is checked again if the client cannot show its questions. */
const pausedPollMs = 1_000

/** Returns the session that a previous round of this call started. */
const startedBefore = async ({ store, caller }: McpContext, call: ToolCall): Promise<string | undefined> => {
  const { sessionId } = readRoundState(call.requestState)
  const row = sessionId === undefined ? undefined : await store.sessions.get(sessionId)
  return row?.internal["tool"] === "Task" && row.caller === caller ? row.id : undefined
}

const untilFinal = async (context: McpContext, call: ToolCall, sessionId: string): Promise<ToolReply> => {
  let current = call
  for (;;) {
    const awaited = await awaitSessions(context, current, { ids: [sessionId] })
    if (awaited.kind === "ask")
      return { kind: "ask", requests: awaited.requests, state: writeRoundState({ ...awaited.state, sessionId }) }
    const [report] = awaited.reports
    if (report !== undefined && isFinal(report.facts.status)) return answered(envelopeOf(report))
    call.progress?.(`${sessionId} is waiting for a person; run adjutant resume ${sessionId}`)
    await delay(pausedPollMs, undefined, { signal: call.signal })
    current = { ...call, inputResponses: {}, requestState: writeRoundState({ ...awaited.state, sessionId }) }
  }
}

const start = async (context: McpContext, call: ToolCall): Promise<string | ToolReply> => {
  const refusal = (code: "INVALID_PARAM" | "INTERNAL_ERROR", message: string): ToolReply =>
    answered(taskRefusal({ code, message, cwd: context.cwd, paramsInput: call.args ?? {} }))
  const parsed = parseArguments(taskInputSchema, call.args)
  if (!parsed.ok) return refusal("INVALID_PARAM", parsed.problem)
  const blank = (["description", "prompt"] as const).find((name) => parsed.value[name].trim() === "")
  if (blank !== undefined) return refusal("INVALID_PARAM", `${blank}: must not be empty`)
  try {
    const { caller, cwd, client } = context
    const outcome = await client.spawn({
      call: { tool: "Task", input: parsed.value, asSent: call.args },
      caller,
      cwd,
      actor: call.actor,
    })
    return outcome.kind === "started" ? outcome.child.sessionId : refusal("INTERNAL_ERROR", outcome.refusal.error)
  } catch (error) {
    if (!isAdjutantError(error)) throw error
    return refusal("INTERNAL_ERROR", error.message)
  }
}

/** Handles `Task`: starts a read-only sub-agent and waits for it. Cancelling the call cancels the sub-agent, because its answer would be lost. */
export const taskTool: ToolHandler = async (context, call) => {
  const before = await startedBefore(context, call)
  const started = before ?? (await start(context, call))
  if (typeof started !== "string") return started
  if (call.wantsTask) return { kind: "task", sessionId: started }
  try {
    return await untilFinal(context, call, started)
  } finally {
    if (call.isCancelled()) await context.client.cancel(started, call.actor)
  }
}
