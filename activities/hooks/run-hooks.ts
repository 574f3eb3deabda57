import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { assertNever } from "../../domain/assert-never.ts"
import { hookEventOf, type HookMessage } from "../../domain/run/hook-event.ts"
import type { AgentActivities, RunHooksInput, RunHooksResult } from "../contract/agent-activities.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { appendRows } from "../transcript/append-rows.ts"
import { instructionOf } from "../transcript/instruction-of.ts"
import { lastText } from "../../domain/transcript/last-text.ts"
import { hookName, runHook } from "./run-hook.ts"
import { followCall } from "../followed-calls.ts"
import { callSignal } from "../running-calls.ts"
import { writeOutbox } from "../transcript/write-outbox.ts"
import { startOf } from "../../domain/text/foreign/well-formed.ts"

const maxReason = 1_000
const readRows = 500

const runHookMessage = async (
  { store }: AgentDependencies,
  input: RunHooksInput,
  snapshot: RunSnapshot,
): Promise<HookMessage> => {
  const { sessionId, runId, headSeq, phase } = input
  const { task } = await instructionOf(store, { metadata: {} }, input)
  const message: HookMessage = {
    event: hookEventOf(snapshot.type, phase),
    session_id: sessionId,
    run_id: runId,
    profile: snapshot.agent,
    type: snapshot.type,
    input: task,
    at: new Date().toISOString(),
  }
  if (phase === "before") return message
  const rows = await store.messages.read(sessionId, { fromSeq: Math.max(1, headSeq - readRows), headSeq: headSeq + 1 })
  const error = input.error ?? null
  return { ...message, result: lastText(rows, runId), ...(error === null ? {} : { error }) }
}

const before = async (
  deps: AgentDependencies,
  message: HookMessage,
  snapshot: RunSnapshot,
): Promise<RunHooksResult> => {
  for (const hook of snapshot.hooks[message.event] ?? []) {
    const result = await runHook(deps, { hook, message, snapshot, signal: callSignal() })
    const name = hookName(hook)
    switch (result.verdict) {
      case "allow":
        break
      case "block":
        return refusal(
          "hook_refused",
          `the hook ${name} refused the run: ${startOf(deps.redact(result.reason), maxReason)}`,
        )
      case "broken":
        deps.logger.warn({ hook: name, event: message.event }, `a hook failed: ${result.reason}`)
        return refusal(
          "hook_failed",
          `the hook ${name} failed, so the run was not begun: ${startOf(deps.redact(result.reason), maxReason)}`,
        )
      default:
        return assertNever(result)
    }
  }
  return { refusal: null }
}

const refusal = (code: string, message: string): RunHooksResult => ({ refusal: { code, message } })

const after = async (deps: AgentDependencies, message: HookMessage, snapshot: RunSnapshot): Promise<RunHooksResult> => {
  for (const hook of snapshot.hooks[message.event] ?? []) {
    const result = await runHook(deps, { hook, message, snapshot, signal: callSignal() })
    if (result.verdict !== "allow")
      deps.logger.warn({ hook: hookName(hook), event: message.event }, `a hook failed: ${result.reason}`)
  }
  return { refusal: null }
}

/**
 * Runs the hooks of one point in their order. Before a run the first that refuses ends it, and one that fails does the same; after a run
 * whatever a hook does is only logged.
 */
export const createRunHooks =
  (deps: AgentDependencies, snapshotOf: (hash: string) => Promise<RunSnapshot>): AgentActivities["runHooks"] =>
  (input) => {
    const work = async () => {
      const snapshot = await snapshotOf(input.snapshotHash)
      await appendRows(deps.store, input, { step: 0, items: input.append })
      await writeOutbox(deps.store, input, input.outbox)
      const message = await runHookMessage(deps, input, snapshot)
      return input.phase === "before" ? before(deps, message, snapshot) : after(deps, message, snapshot)
    }
    // After hooks run although their run was stopped.
    return input.phase === "before" ? followCall(deps, input, work) : work()
  }
