import type { HookConfig, HookEvent } from "../../contracts/config/config-services.ts"
import type { ToolCall, ToolOutcome } from "../../contracts/message.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { isRecord } from "../text/is-record.ts"
import { toolListCovers } from "../tools/tool-names.ts"

/** The event that a hook receives, as JSON. */
export interface HookMessage {
  readonly event: HookEvent
  readonly session_id: string
  readonly run_id: string
  readonly profile: string
  readonly type: RunSnapshot["type"]
  /** The instruction. */
  readonly input: string
  /** After hooks: the final message, or the partial one. */
  readonly result?: string
  /** After hooks: why the run did not complete. */
  readonly error?: { readonly code: string; readonly message: string }
  /** ISO 8601 UTC. */
  readonly at: string
}

/** The event that a hook of a call receives, as JSON. */
export interface ToolHookMessage extends Omit<HookMessage, "event" | "input" | "error"> {
  readonly event: "before-tool" | "after-tool"
  readonly call_id: string
  readonly tool: string
  readonly arguments: ToolCall["arguments"]
  /** After hooks: whether the call succeeded. */
  readonly outcome?: ToolOutcome
}

export type HookPhase = "before" | "after"

export const hookEventOf = (type: RunSnapshot["type"], phase: HookPhase): HookEvent => `agent:${type}-${phase}-execute`

type ToolHookEvent = ToolHookMessage["event"]

/** Returns the hooks of a run that run for the calls of a tool. */
export const toolHooks = (
  { hooks }: Pick<RunSnapshot, "hooks">,
  event: ToolHookEvent,
  tool: string,
): readonly HookConfig[] =>
  (hooks[event] ?? []).filter(({ tools }) => tools === undefined || toolListCovers(tools, tool))

export const hasToolHooks = (run: Pick<RunSnapshot, "hooks">, tool: string): boolean =>
  (["before-tool", "after-tool"] as const).some((event) => toolHooks(run, event, tool).length > 0)

/** The result of a hook. */
export type HookVerdict =
  /** `arguments`: what a hook of a call replaces its arguments by. */
  | { readonly verdict: "allow"; readonly arguments?: Readonly<Record<string, unknown>> }
  | { readonly verdict: "block"; readonly reason: string }
  /** The hook itself failed. Before a run this counts as a refusal, since its decision is unknown. */
  | { readonly verdict: "broken"; readonly reason: string }

const noReason = "no reason was given"

/** Returns the verdict that a hook writes as JSON; undefined if its text is something else. */
const writtenVerdict = (answer: string): HookVerdict | undefined => {
  let value: unknown
  try {
    value = JSON.parse(answer)
  } catch {
    return undefined
  }
  if (!isRecord(value)) return undefined
  const { decision, reason, arguments: args } = value
  if (decision === "block")
    return { verdict: "block", reason: typeof reason === "string" && reason !== "" ? reason : noReason }
  if (args === undefined) return undefined
  return isRecord(args)
    ? { verdict: "allow", arguments: args }
    : { verdict: "broken", reason: "it returned arguments that are not an object" }
}

/** Returns the verdict of a program: exit code 2 or a JSON answer blocks, 0 allows, anything else is broken. */
export const verdictOfProgram = (end: {
  /** Null if a signal ended it. */
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  /** How it ended, as text for people: `exit code 1`. */
  readonly how: string
}): HookVerdict => {
  const written = writtenVerdict(end.stdout)
  if (end.exitCode === 2)
    return written?.verdict === "block" ? written : { verdict: "block", reason: end.stderr.trim() || noReason }
  if (end.exitCode !== 0)
    return { verdict: "broken", reason: [end.how, end.stderr.trim()].filter((text) => text !== "").join(": ") }
  return written ?? { verdict: "allow" }
}

/** Returns the verdict of an HTTP response: a JSON answer blocks whatever its status, 2xx allows, anything else is broken. */
export const verdictOfResponse = (response: { readonly status: number; readonly body: string }): HookVerdict => {
  const written = writtenVerdict(response.body)
  if (written?.verdict === "block") return written
  return response.status >= 200 && response.status < 300
    ? (written ?? { verdict: "allow" })
    : { verdict: "broken", reason: `it returned HTTP status ${response.status}` }
}
