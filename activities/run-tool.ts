import { join } from "node:path"
import { ApplicationFailure, CancelledFailure, cancellationSignal } from "@temporalio/activity"
import type { ToolCall, ToolMessage, ToolOutcome } from "../contracts/message.ts"
import type { RunSnapshot } from "../contracts/run-snapshot.ts"
import type { Tool, ToolContext } from "../tools/tool.ts"
import { activityFence } from "./activity-fence.ts"
import type { AgentActivities, RunToolInput, RunToolResult } from "./agent-activities.ts"
import type { AgentDependencies } from "./agent-dependencies.ts"
import { offeredTools } from "./offered-tools.ts"
import { withHeartbeats } from "./with-heartbeats.ts"
import { writeOutbox } from "./write-outbox.ts"

const previewCharacters = 256

const unknownText = (tool: string): string =>
  `outcome unknown: ${tool} was started and the worker that ran it died or was stopped, so it may or may not have taken effect. ` +
  "It was not run again. Check the state before you repeat it."

const loadCall = async ({ store }: AgentDependencies, input: RunToolInput): Promise<ToolCall> => {
  const row = await store.messages.get(input.sessionId, input.assistantSeq)
  if (row?.message.role === "assistant")
    for (const part of row.message.parts)
      if (part.type === "tool_call" && part.call.id === input.callId) return part.call
  throw ApplicationFailure.nonRetryable(`call ${input.callId} is not in the transcript`, "storage_failed")
}

const contextOf = async (
  deps: AgentDependencies,
  input: RunToolInput,
  snapshot: RunSnapshot,
): Promise<ToolContext> => ({
  sessionId: input.sessionId,
  cwd: snapshot.cwd,
  spillDir: join(deps.dataDir, "spill", input.sessionId),
  dataDir: deps.dataDir,
  env: deps.toolEnv(snapshot.envAllow),
  sandbox: await deps.sandboxFor(
    snapshot.sandbox === "require" ? "auto" : snapshot.sandbox,
    snapshot.timing.killGraceMs,
  ),
  bashTimeouts: { defaultMs: snapshot.timing.bashTimeoutMs, maxMs: snapshot.timing.bashMaxTimeoutMs },
  signal: cancellationSignal(),
  todos: {
    read: () => deps.store.todos.read(input.sessionId),
    write: (todos) => deps.store.todos.write(input.sessionId, todos),
  },
})

const execute = async (
  tool: Tool,
  call: ToolCall,
  context: ToolContext,
): Promise<Omit<ToolMessage, "role" | "call_id" | "name">> => {
  const parsed = tool.input.safeParse(call.arguments)
  if (!parsed.success) return { outcome: "error", content: `the arguments do not fit: ${parsed.error.message}` }
  try {
    const result = await tool.execute(parsed.data, context)
    if (context.signal.aborted) return { outcome: "error", content: `cancelled while it ran\n${result.content}`.trim() }
    return { outcome: result.isError === true ? "error" : "ok", content: result.content }
  } catch (error) {
    if (context.signal.aborted) return { outcome: "error", content: "cancelled while it ran" }
    return {
      outcome: "error",
      content: `${tool.name} failed: ${error instanceof Error ? error.message : String(error)}`,
    }
  }
}

const isBackground = (call: ToolCall): boolean => call.arguments?.["run_in_background"] === true

const mustBeConfined = (tool: Tool, snapshot: RunSnapshot): boolean =>
  tool.name === "Bash" && (snapshot.sandboxed || snapshot.sandbox === "require")

const isShutdown = (signal: AbortSignal): boolean =>
  signal.reason instanceof CancelledFailure && signal.reason.message === "WORKER_SHUTDOWN"

/** Runs one approved call, and a call that must not be repeated at most once whatever happens to workers. */
export const createRunTool =
  (deps: AgentDependencies, snapshotOf: (hash: string) => Promise<RunSnapshot>): AgentActivities["runTool"] =>
  (input) =>
    withHeartbeats(async (): Promise<RunToolResult> => {
      const { store } = deps
      const { sessionId, runId, resultSeq: seq, callId } = input
      const snapshot = await snapshotOf(input.snapshotHash)
      await writeOutbox(store, input, input.outbox)
      const call = await loadCall(deps, input)
      const tool = offeredTools(snapshot, deps.tools).find(({ name }) => name === call.name)
      const fence = activityFence()

      const finish = async (outcome: ToolOutcome, content: string, startedAt?: number): Promise<RunToolResult> => {
        const text = deps.redact(content)
        const message = { role: "tool" as const, call_id: callId, name: call.name, outcome, content: text }
        await store.claims.finish({ sessionId, seq }, { seq, runId, step: input.step, message, fence })
        const preview = text.slice(0, previewCharacters)
        const durationMs = startedAt === undefined ? 0 : Date.now() - startedAt
        await store.events.append(sessionId, [
          {
            type: "tool-finished",
            runId,
            data: { call_id: callId, name: call.name, outcome, preview, seq, duration_ms: durationMs },
          },
        ])
        return { outcome, preview, background: isBackground(call) }
      }

      if (tool === undefined) return finish("error", `there is no tool ${call.name} on this worker`)
      const { claimed, existing } = await store.claims.claim({ sessionId, seq, callId, tool: call.name, fence })
      if (!claimed && existing !== undefined) {
        const row = existing.done ? await store.messages.get(sessionId, seq) : undefined
        if (row?.message.role === "tool")
          return {
            outcome: row.message.outcome,
            preview: row.message.content.slice(0, previewCharacters),
            background: isBackground(call),
          }
        if (!tool.idempotent) return finish("unknown", unknownText(call.name))
      }
      const context = await contextOf(deps, input, snapshot)
      if (mustBeConfined(tool, snapshot) && !context.sandbox.confined)
        return finish("error", `Bash may only run in a sandbox here: ${context.sandbox.reason ?? "there is none"}`)
      await store.events.append(sessionId, [
        { type: "tool-started", runId, data: { call_id: callId, name: call.name } },
      ])
      const startedAt = Date.now()
      const result = await execute(tool, call, context)
      if (context.signal.aborted && isShutdown(context.signal)) throw new CancelledFailure("WORKER_SHUTDOWN")
      const finished = await finish(result.outcome, result.content, startedAt)
      if (context.signal.aborted) throw new CancelledFailure(`${call.name} was cancelled`)
      return finished
    })
