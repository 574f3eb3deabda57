import { z } from "zod"
import { noTokens } from "../../domain/limits/usage-totals.ts"
import type { AssistantMessage, Message } from "../../contracts/message.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import type { Reason } from "../../domain/approval/gate.ts"
import type { Store } from "../../store/store.ts"
import type { DirectoryProblem } from "../../tools/files/directory-problem.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { RecordActivities, RunToolInput, RunWorkResult } from "../contract/agent-activities.ts"
import { activityFence } from "../run/activity-fence.ts"
import { assertNever } from "../../domain/assert-never.ts"
import { type AskedAgain, askedAgain, type JudgedStart } from "../approval/call-facts.ts"
import { writeOutbox } from "../run/write-outbox.ts"
import { hasStarted } from "./call-question.ts"
import { recordRefusal } from "./record-refusal.ts"
import { type CallEnd, type OnceCall, type OnceResult, runOnce } from "./run-once.ts"
import { startOf } from "../../domain/text/foreign/well-formed.ts"

const failureSchema = z.object({
  stopReason: z.enum(["error", "timeout"]),
  error: z.object({ code: z.string(), message: z.string() }),
})
export type RunFailure = z.infer<typeof failureSchema>

/** How the one call of a run without a model ended; `extra` says why the run failed. */
export type RunCallEnd = CallEnd<RunFailure | null>

const maxMessage = 2_000

export const completed = (content: string): RunCallEnd => ({ outcome: "ok", content, extra: null })

export const failed = (failure: {
  readonly code: string
  readonly message: string
  readonly stopReason?: "timeout"
  /** What there was of a result. */
  readonly partial?: string
}): RunCallEnd => ({
  outcome: "error",
  content: failure.partial ?? "",
  extra: {
    stopReason: failure.stopReason ?? "error",
    error: { code: failure.code, message: startOf(failure.message, maxMessage) },
  },
})

/** Returns the end of a run whose working directory this worker may not or cannot use. */
export const failedPlace = ({ kind, message }: DirectoryProblem): RunCallEnd =>
  failed({ code: kind === "missing" ? "invalid_argument" : "forbidden", message })

/** Returns the error code of a run whose one call the gate refused. */
export const refusalCode = ({ about }: Pick<Reason, "about">): "sandbox_unavailable" | "forbidden" =>
  about === "sandbox" ? "sandbox_unavailable" : "forbidden"

/** Returns a message of an agent without a model. */
export const agentMessage = (
  provider: "binary" | "mcp-bridge",
  parts: AssistantMessage["parts"],
  stop: AssistantMessage["stop"] = "end_turn",
): AssistantMessage => ({ role: "assistant", provider, model: "none", parts, usage: noTokens, stop })

/** Returns the row of a result: its text and, for later requests, why the run failed. */
const resultRow = (provider: "binary" | "mcp-bridge", end: RunCallEnd): Message =>
  agentMessage(provider, [
    ...(end.content === "" ? [] : [{ type: "text" as const, text: end.content }]),
    ...(end.extra === null ? [] : [{ type: "opaque" as const, opaque: end.extra }]),
  ])

const readResultRow = (message: Message): RunCallEnd | undefined => {
  if (message.role !== "assistant") return undefined
  const content = message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("")
  const opaque = message.parts.find((part) => part.type === "opaque")
  return opaque === undefined
    ? completed(content)
    : { outcome: "error", content, extra: failureSchema.parse(opaque.opaque) }
}

const outcomeUnknown = (text: string): RunCallEnd => ({
  ...failed({ code: "outcome_unknown", message: text }),
  outcome: "unknown",
})

const workResult = (result: OnceResult<RunFailure | null>, redact: (text: string) => string): RunWorkResult => {
  if (result.kind === "asks") return result
  const { extra } = result.end
  return extra === null
    ? { kind: "done", preview: result.preview }
    : { kind: "failed", ...extra, error: { ...extra.error, message: redact(extra.error.message) } }
}

/** Why the one call of a run is not made: its end, or that it has to be asked about again. */
export type NotMade = RunCallEnd | AskedAgain

/** Returns why the one call of a run is not made; undefined if the gate lets it run. */
export const notMade = (judged: JudgedStart): NotMade | undefined => {
  const { verdict } = judged
  switch (verdict.verdict) {
    case "run":
      return undefined
    case "refuse":
      return failed({ code: refusalCode(verdict.why), message: verdict.why.text })
    case "ask":
      return askedAgain(judged, verdict)
    default:
      return assertNever(verdict)
  }
}

/** The one call of a run without a model. */
interface Work extends Pick<OnceCall<RunFailure | null>, "name" | "idempotent" | "run"> {
  readonly type: "binary" | "mcp-bridge"
  /** Asks the gate. Returns why the call is not made. `hasBegun`: an earlier attempt, perhaps on another worker, has started it. */
  refusal(hasBegun: boolean): Promise<NotMade | undefined>
}

/** Runs the one call of a run without a model, under a claim. */
export const runWork = async (
  deps: AgentDependencies,
  input: RunToolInput,
  { type, refusal, ...call }: Work,
): Promise<RunWorkResult> => {
  const toRow = (end: RunCallEnd): Message => resultRow(type, end)
  const hasBegun = await hasStarted(deps.store, input)
  const end = await refusal(hasBegun)
  if (end !== undefined && "changed" in end) {
    await writeOutbox(deps.store, input, input.outbox)
    return { kind: "changed", changed: end.changed }
  }
  if (end !== undefined && !hasBegun) {
    await recordRefusal(deps, input, { name: call.name, row: toRow(end) })
    return workResult({ kind: "ended", end, preview: "" }, deps.redact)
  }
  const run = end === undefined ? call.run : async () => end
  const result = await runOnce(deps, input, { ...call, run, toRow, fromRow: readResultRow, unknown: outcomeUnknown })
  return workResult(result, deps.redact)
}

/** Creates the activity that writes a person's result for the call of a run without a model, which is the run's result. */
export const createWriteResult =
  (
    store: Pick<Store, "messages">,
    snapshotOf: (hash: string) => Promise<RunSnapshot>,
  ): RecordActivities["writeResult"] =>
  async ({ sessionId, runId, snapshotHash, seq, text }) => {
    const { type } = await snapshotOf(snapshotHash)
    const message = agentMessage(type === "binary" ? "binary" : "mcp-bridge", [{ type: "text", text }])
    await store.messages.put(sessionId, { seq, runId, step: 0, message, fence: activityFence() })
  }
