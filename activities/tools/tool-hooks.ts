import { isDeepStrictEqual } from "node:util"
import type { ToolCall } from "../../contracts/message.ts"
import type { HookConfig } from "../../contracts/config/config-services.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { type HookVerdict, type ToolHookMessage, toolHooks } from "../../domain/run/hook-event.ts"
import { startOf } from "../../domain/text/foreign/well-formed.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { RunToolInput } from "../contract/agent-activities.ts"
import { callSignal } from "../running-calls.ts"
import type { ToolEnd } from "./call-manner.ts"
import { hookName, runHook } from "../hooks/run-hook.ts"

const maxToolHookReason = 1_000

/** A call with its hooks. */
export interface HookedCall {
  readonly snapshot: RunSnapshot
  readonly call: ToolCall
}

/** What the hooks before a call make of it. `changedBy`: the hook that changed its arguments. */
export type BeforeTool =
  | { readonly kind: "run"; readonly call: ToolCall; readonly changedBy?: string }
  | { readonly kind: "refuse"; readonly code: string; readonly text: string }

type Scope = Pick<RunToolInput, "sessionId" | "runId">

const toolHookMessage = (
  event: ToolHookMessage["event"],
  { sessionId, runId }: Scope,
  { snapshot, call }: HookedCall,
): ToolHookMessage => ({
  event,
  session_id: sessionId,
  run_id: runId,
  profile: snapshot.agent,
  type: snapshot.type,
  call_id: call.id,
  tool: call.name,
  arguments: call.arguments,
  at: new Date().toISOString(),
})

const run = (
  deps: AgentDependencies,
  hook: HookConfig,
  { message, snapshot }: { readonly message: ToolHookMessage; readonly snapshot: RunSnapshot },
): Promise<HookVerdict> => runHook(deps, { hook, message, snapshot, signal: callSignal() })

/**
 * Runs the hooks before a call, one after another. The first that refuses ends it, and so does one that fails, since its decision is unknown. Each hook gets
 * the arguments as the one before it left them.
 */
export const beforeTool = async (deps: AgentDependencies, input: Scope, hooked: HookedCall): Promise<BeforeTool> => {
  const { snapshot } = hooked
  let { call } = hooked
  let changedBy: string | undefined
  for (const hook of toolHooks(snapshot, "before-tool", call.name)) {
    const name = hookName(hook)
    const result = await run(deps, hook, {
      snapshot,
      message: toolHookMessage("before-tool", input, { snapshot, call }),
    })
    if (result.verdict !== "allow") {
      const reason = startOf(deps.redact(result.reason), maxToolHookReason)
      if (result.verdict === "block")
        return { kind: "refuse", code: "hook_refused", text: `the hook ${name} refused the call: ${reason}` }
      deps.logger.warn({ hook: name, event: "before-tool" }, `a hook failed: ${result.reason}`)
      return {
        kind: "refuse",
        code: "hook_failed",
        text: `the hook ${name} failed, so the call was not made: ${reason}`,
      }
    }
    if (result.arguments === undefined || isDeepStrictEqual(result.arguments, call.arguments)) continue
    call = { ...call, arguments: { ...result.arguments } }
    changedBy = name
  }
  return { kind: "run", call, ...(changedBy === undefined ? {} : { changedBy }) }
}

/** Runs the hooks after a call. Whatever they do is only logged. */
export const afterTool = async (
  deps: AgentDependencies,
  input: Scope,
  { end, ...hooked }: HookedCall & { readonly end: Pick<ToolEnd, "outcome" | "content"> },
): Promise<void> => {
  const { snapshot, call } = hooked
  for (const hook of toolHooks(snapshot, "after-tool", call.name)) {
    const message = { ...toolHookMessage("after-tool", input, hooked), outcome: end.outcome, result: end.content }
    const result = await run(deps, hook, { snapshot, message })
    if (result.verdict !== "allow")
      deps.logger.warn({ hook: hookName(hook), event: message.event }, `a hook failed: ${result.reason}`)
  }
}
