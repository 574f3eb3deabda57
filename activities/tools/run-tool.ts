import { activityInfo, ApplicationFailure } from "@temporalio/activity"
import type { ToolCall } from "../../contracts/message.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import type { WritableStore } from "../../store/store.ts"
import { startsProcesses } from "../../domain/approval/process-sandbox.ts"
import { assertNever } from "../../domain/assert-never.ts"
import { noApprovals } from "../../domain/people/right-to-decide.ts"
import { hasToolHooks } from "../../domain/run/hook-event.ts"
import { cutText } from "../../domain/text/bound-for-history.ts"
import { previewOf } from "../../domain/text/preview.ts"
import { withoutUndefined } from "../../domain/without-undefined.ts"
import { toolDirectory } from "../../domain/workspace/tool-directory.ts"
import type { AgentActivities, RunToolInput } from "../contract/agent-activities.ts"
import type { RunToolResult } from "../contract/run-tool-result.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { type AskedAgain, askedAgain, judgeStart, pathsWritten } from "../approval/call-facts.ts"
import { expectingChanges } from "../approval/watched-files.ts"
import { followCall, withinLimit } from "../followed-calls.ts"
import { afterTool, beforeTool } from "./tool-hooks.ts"
import { toolInput } from "../model/argument-problems.ts"
import { writeOutbox } from "../transcript/write-outbox.ts"
import { inSlot } from "../slots/in-slot.ts"
import { storeMedia } from "./additions/store-media.ts"
import { asModelCall } from "./as-model-call.ts"
import type { CallManner, MissingTool, ToolEnd, ToolExtra } from "./call-manner.ts"
import { callHash } from "../approval/call-claim.ts"
import { loadAnsweredQuestion } from "./call-question.ts"
import { loadProposed } from "./load-call.ts"
import { type CodedReason, refusalCode } from "../approval/audit-refusal.ts"
import { recordRefusal } from "./record-refusal.ts"
import { type OnceCall, runOnce } from "./run-once.ts"
import { toolContext } from "./tool-context.ts"
import { asOneCall } from "./without-model/one-call.ts"

/** Writes what belongs to the row of a result, in its transaction. */
const commitExtra = async (
  writes: Pick<WritableStore, "media" | "touchedFiles">,
  sessionId: string,
  end: ToolEnd,
): Promise<ToolEnd> => {
  const { found, ...extra } = end.extra
  for (const touched of [extra.touched ?? []].flat()) await writes.touchedFiles.put(sessionId, touched)
  if (found === undefined) return end
  const { content, media } = await storeMedia(writes, sessionId, { content: end.content, media: found })
  return { ...end, content, extra: media.length === 0 ? extra : { ...extra, media: [...media] } }
}

const maxShownArguments = 2_000

const isBackground = (call: ToolCall): boolean => call.arguments?.["run_in_background"] === true

/** The failure of a local activity whose worker does not have the tool: the workflow then schedules the call for any worker. */
const elsewhere = (name: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(`${name} runs on another worker`, "runs_elsewhere")

/** What the gate says right before the call runs. `grantedPath`: the call may change this path only, which a grant covers. */
type Admission =
  | { readonly kind: "run"; readonly grantedPath?: string | undefined }
  /** `hasBegun`: an earlier attempt has started it. */
  | { readonly kind: "refuse"; readonly why: CodedReason; readonly hasBegun: boolean }
  | ({ readonly kind: "ask" } & AskedAgain)

/** Returns why this worker cannot run the call, whoever approved it: it lacks the tool, or the run's directory is not what it was. */
const unavailableHere = async (
  { directoryProblem }: Pick<AgentDependencies, "directoryProblem">,
  snapshot: RunSnapshot,
  tool: CallManner["tool"],
): Promise<MissingTool | undefined> => {
  if ("problem" in tool) return tool
  const misplaced = await directoryProblem(toolDirectory(snapshot))
  if (misplaced === undefined) return undefined
  return { problem: misplaced.message, code: misplaced.kind === "missing" ? "invalid_argument" : "forbidden" }
}

/** A call of a run, and what becomes of its result. */
interface Proposed {
  readonly snapshot: RunSnapshot
  readonly call: ToolCall
  /** Of the call as it is proposed, whatever a hook makes of it. */
  readonly hash: string
  readonly endProblem?: string | undefined
  readonly manner: CallManner
}

/** Asks the gate. */
const admit = async (
  deps: AgentDependencies,
  input: RunToolInput,
  { snapshot, call, endProblem, manner: { tool: found } }: Proposed,
  known: Pick<Parameters<typeof judgeStart>[2], "hasBegun" | "approvals"> = {},
): Promise<Admission> => {
  const missing = await unavailableHere(deps, snapshot, found)
  const judged = await judgeStart(deps, input, {
    ...known,
    ...{ snapshot, call, endProblem, canAsk: true, unavailable: missing?.problem },
    tool: "problem" in found ? { name: call.name, readOnly: false } : found,
    writes: "problem" in found ? [] : pathsWritten(found, call.arguments),
  })
  const { facts, verdict, grantedPath } = judged
  switch (verdict.verdict) {
    case "run":
      return { kind: "run", grantedPath }
    case "refuse": {
      const { why } = verdict
      const code = (why.about === "worker" ? missing?.code : undefined) ?? refusalCode(why)
      return { kind: "refuse", why: { code, text: why.text }, hasBegun: facts.decided.by === "attempt" }
    }
    case "ask":
      return { kind: "ask", ...askedAgain(judged, verdict) }
    default:
      return assertNever(verdict)
  }
}

const resultOf = (
  deps: Pick<AgentDependencies, "machine">,
  { snapshot, call }: Proposed,
  { end, preview }: { readonly end: ToolEnd; readonly preview: string },
): RunToolResult => {
  // A sandbox of the task has a scratch folder on this machine, which the end of the run erases like a process that is left.
  const background = isBackground(call) || (snapshot.taskSandbox === true && startsProcesses(call.name))
  return {
    ...{ outcome: end.outcome, preview, background },
    ...(background ? { machine: deps.machine.name } : {}),
    ...(end.extra.failure === undefined ? {} : { failure: end.extra.failure }),
  }
}

type Ended = Awaited<ReturnType<CallManner["returned"]>>

type Hooked = Exclude<Awaited<ReturnType<typeof beforeTool>>, { kind: "refuse" }>

/** Takes away what a person or a grant allowed: it was meant for the arguments before a hook changed them. */
const undecided = (input: RunToolInput): RunToolInput => {
  const { grantId: _, ...rest } = input
  return { ...rest, mayChangeProtected: false, isUnasked: true }
}

/** Asks the gate about arguments that a hook has changed, on which nobody has decided. Returns why the call does not run with them. */
const changeProblem = async (
  deps: AgentDependencies,
  input: RunToolInput,
  { proposed, changedBy, call }: { readonly proposed: Proposed } & Hooked,
): Promise<CodedReason | undefined> => {
  if (changedBy === undefined) return undefined
  const admission = await admit(
    deps,
    undecided(input),
    { ...proposed, call },
    { hasBegun: false, approvals: noApprovals },
  )
  if (admission.kind === "run") return undefined
  const why = admission.kind === "refuse" ? admission.why.text : admission.changed
  const shown = cutText(JSON.stringify(call.arguments), maxShownArguments)
  const text = `the hook ${changedBy} changed the arguments of the call, and with them it may not run: ${why}. To have it decided, propose the call with these arguments: ${shown}`
  return { code: admission.kind === "refuse" ? admission.why.code : "needs_approval", text }
}

/** Makes a call with the hooks around it. */
const executeHooked = async (
  deps: AgentDependencies,
  input: RunToolInput,
  proposed: Proposed & { readonly grantedPath: string | undefined },
): Promise<Ended> => {
  const { snapshot, manner } = proposed
  if (!hasToolHooks(snapshot, proposed.call.name)) return execute(deps, input, proposed)
  const before = await beforeTool(deps, input, proposed)
  if (before.kind === "refuse") return manner.refused({ code: before.code, text: before.text })
  const { call, changedBy } = before
  const problem = await changeProblem(deps, input, { proposed, ...before })
  if (problem !== undefined) return manner.refused({ ...problem, text: deps.redact(problem.text) })
  const ended = await (changedBy === undefined
    ? execute(deps, input, proposed)
    : execute(deps, undecided(input), { ...proposed, call, grantedPath: undefined }))
  if (!("outcome" in ended)) return ended
  await afterTool(deps, input, { snapshot, call, end: ended })
  if (changedBy === undefined) return ended
  const shown = cutText(deps.redact(JSON.stringify(call.arguments)), maxShownArguments)
  return {
    ...ended,
    content: `${ended.content}\n\n(The hook ${changedBy} changed the arguments of this call to ${shown})`,
  }
}

/** Calls the tool. */
const execute = async (
  deps: AgentDependencies,
  input: RunToolInput,
  { snapshot, call, hash, manner, grantedPath }: Proposed & { readonly grantedPath: string | undefined },
): Promise<Ended> => {
  const { tool } = manner
  if ("problem" in tool) throw new Error("a call runs that was not admitted")
  const parsed = await toolInput(tool, call.arguments)
  if ("problem" in parsed) return manner.misfit(parsed.problem)
  const answered = await loadAnsweredQuestion(deps.store, { ...input, hash })
  const context = await toolContext(deps, input, { snapshot, name: call.name, arguments: call.arguments })
  try {
    const given = { ...context, ...withoutUndefined({ grantedPath, answered }) }
    return await manner.returned(await tool.execute(parsed.input, given), given)
  } catch (error) {
    return manner.thrown(error, context.signal)
  } finally {
    // Readers see a call's progress before its end.
    await deps.streamed.flush(input.sessionId)
  }
}

const runToolNow = async (
  deps: AgentDependencies,
  input: RunToolInput,
  snapshot: RunSnapshot,
): Promise<RunToolResult> => {
  const { call, endProblem } = await loadProposed(deps.store, input)
  const isModelCall = snapshot.execution.type === "llm"
  const manner = await (isModelCall ? asModelCall(deps, input, { snapshot, call }) : asOneCall(deps, input, snapshot))
  const { tool } = manner
  if (activityInfo().isLocal && "problem" in tool) throw elsewhere(call.name)
  const hash = callHash(call)
  const proposed = { snapshot, call, hash, endProblem, manner }
  const admission = await admit(deps, input, proposed)
  if (admission.kind === "ask") {
    const { kind: _, ...asked } = admission
    await writeOutbox(deps.store, input, input.outbox)
    return asked
  }
  if (admission.kind === "refuse" && !admission.hasBegun) {
    const why = { ...admission.why, text: deps.redact(admission.why.text) }
    const end = manner.refused(why)
    await recordRefusal(deps, input, { name: call.name, row: manner.toRow(end), why })
    return resultOf(deps, proposed, { end, preview: previewOf(end.content) })
  }
  // A refused call comes here, too, if an earlier attempt has begun it: that attempt's result, or that it is unknown, counts before the refusal.
  const once: OnceCall<ToolExtra> = {
    ...manner,
    name: call.name,
    hash,
    commit: (writes, end) => commitExtra(writes, input.sessionId, end),
    run: async () =>
      admission.kind === "refuse"
        ? manner.refused(admission.why)
        : executeHooked(deps, input, { ...proposed, grantedPath: admission.grantedPath }),
  }
  const result = await expectingChanges(deps, input, { snapshot, readOnly: "readOnly" in tool && tool.readOnly }, () =>
    runOnce(deps, input, once),
  )
  if (result.kind === "asks") return { question: result.question }
  return resultOf(deps, proposed, result)
}

/**
 * Runs one approved call, of a model or of a profile without one. A call that must not be repeated runs at most once, whatever happens to workers.
 */
export const createRunTool =
  (deps: AgentDependencies, snapshotOf: (hash: string) => Promise<RunSnapshot>): AgentActivities["runTool"] =>
  (input) =>
    followCall(deps, input, async () => {
      const snapshot = await snapshotOf(input.snapshotHash)
      // All of this waits for the slot: the gate is asked and the call is claimed when the call begins, not before the wait.
      const work = () => runToolNow(deps, input, snapshot)
      const limited = () => withinLimit(snapshot.timing.toolTimeoutMs, work)
      // A call that is a whole run waits for models and sub-agents of its own, whose tools could otherwise never get a slot.
      return snapshot.execution.type === "llm"
        ? await inSlot(deps, input, { slots: deps.slots.tools, amount: 1, work: limited })
        : await inSlot(deps, input, { slots: deps.slots.wholeRuns, amount: 1, work })
    })
