import { activityInfo, ApplicationFailure } from "@temporalio/activity"
import type { MediaReference, Message, ToolCall } from "../../contracts/message.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import type { WritableStore } from "../../store/store.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import { mcpServerOf } from "../../domain/tools/tool-names.ts"
import type { Tool, ToolContext, ToolQuestion, ToolResult } from "../../tools/tool.ts"
import type { AgentActivities, RunToolInput, RunToolResult } from "../contract/agent-activities.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { loadAnsweredQuestion } from "./call-question.ts"
import { toolInput } from "../model/argument-problems.ts"
import { offeredTool } from "../model/offered-tools.ts"
import { recordRefusal } from "./record-refusal.ts"
import { type CallEnd, type OnceCall, runOnce } from "./run-once.ts"
import { withIgnored } from "../../domain/tools/arguments/read-calls.ts"
import { withEditNote } from "../../domain/approval/edit-note.ts"
import { type AskedAgain, askedAgain, judgeStart, pathsWritten } from "../approval/call-facts.ts"
import { expectingChanges } from "../approval/watched-files.ts"
import { toolContext } from "./tool-context.ts"
import { runCall } from "../followed-calls.ts"
import { startsProcesses } from "../../domain/approval/process-sandbox.ts"
import { assertNever } from "../../domain/assert-never.ts"
import { previewOf } from "../../domain/text/preview.ts"
import { withoutUndefined } from "../../domain/without-undefined.ts"
import { type DescribedResult, describeMedia, storeMedia } from "./additions/store-media.ts"
import { showFolderGuides } from "./additions/show-folder-guides.ts"
import { inSlot } from "../slots/in-slot.ts"
import { writeOutbox } from "../run/write-outbox.ts"
import { loadProposed } from "./load-call.ts"
import { toolDirectory } from "../../domain/workspace/tool-directory.ts"

interface ToolExtra {
  readonly executed: boolean
  readonly media?: MediaReference[]
  /** Images and PDF files that are stored with the row. */
  readonly found?: DescribedResult["media"]
}

type ToolEnd = CallEnd<ToolExtra>

const executed = { executed: true }

const failed = (content: string): ToolEnd => ({ outcome: "error", content, extra: executed })

/** The end of a call whose tool was never called. */
const notExecuted = (content: string): ToolEnd => ({ outcome: "error", content, extra: { executed: false } })

interface ToolJob {
  readonly tool: Tool
  readonly call: ToolCall
  readonly context: ToolContext
}

type Produced = { readonly result: Pick<ToolResult, "content" | "media"> } | { readonly question: ToolQuestion }

const produce = async (deps: AgentDependencies, { tool, call, context }: ToolJob): Promise<ToolEnd | Produced> => {
  const parsed = await toolInput(tool, call.arguments)
  if ("problem" in parsed) return notExecuted(`the arguments do not fit: ${parsed.problem}`)
  try {
    const result = await tool.execute(parsed.input, context)
    if (context.signal.aborted) return failed(`cancelled while it ran\n${result.content}`.trim())
    if (result.question !== undefined) return { question: result.question }
    // Tools of our own cut their results themselves, by what they know of them.
    const isForeign = mcpServerOf(tool.name) !== undefined
    const content = isForeign
      ? await deps.cutOutput(result.content, { spillDir: context.spillDir, name: "mcp" })
      : result.content
    return result.isError === true ? failed(content) : { result: { ...result, content } }
  } catch (error) {
    if (context.signal.aborted) return failed("cancelled while it ran")
    return failed(`${tool.name} failed: ${errorMessage(error)}`)
  }
}

const execute = async (
  deps: AgentDependencies,
  job: ToolJob,
): Promise<ToolEnd | { readonly question: ToolQuestion }> => {
  const produced = await produce(deps, job)
  if (!("result" in produced)) return produced
  const { content, media: found } = describeMedia(produced.result)
  return { outcome: "ok", content, extra: found.length === 0 ? executed : { ...executed, found } }
}

const commitMedia = async (writes: Pick<WritableStore, "media">, sessionId: string, end: ToolEnd): Promise<ToolEnd> => {
  const { found, ...extra } = end.extra
  if (found === undefined) return end
  const { content, media } = await storeMedia(writes, sessionId, { content: end.content, media: found })
  return { ...end, content, extra: media.length === 0 ? extra : { ...extra, media: [...media] } }
}

const isBackground = (call: ToolCall): boolean => call.arguments?.["run_in_background"] === true

const toMessage = ({ id, name }: ToolCall, { outcome, content, extra }: ToolEnd): Message => ({
  role: "tool",
  call_id: id,
  name,
  outcome,
  content,
  ...withoutUndefined({ media: extra.media }),
  ...(extra.executed ? {} : { executed: false }),
})

const ofMessage = (message: Message): ToolEnd | undefined =>
  message.role === "tool"
    ? {
        outcome: message.outcome,
        content: message.content,
        extra: { executed: message.executed !== false, ...withoutUndefined({ media: message.media }) },
      }
    : undefined

/** The worker that has the workflow need not be one that may run its tools. */
const elsewhere = (name: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(`${name} runs on another worker`, "runs_elsewhere")

/** What a call may do here: run, perhaps only on the path that a grant covers, or not, or only after a person was asked again. */
type Admission =
  | { readonly kind: "run"; readonly grantedPath?: string | undefined }
  /** `hasBegun`: an earlier attempt has started it. */
  | { readonly kind: "refuse"; readonly why: string; readonly hasBegun: boolean }
  | ({ readonly kind: "ask" } & AskedAgain)

type FoundTool = Tool | { readonly problem: string }

/** Returns why this worker makes no such call, whatever anybody decided. */
const unavailableHere = async (
  { directoryProblem }: Pick<AgentDependencies, "directoryProblem">,
  snapshot: RunSnapshot,
  tool: FoundTool,
): Promise<string | undefined> =>
  "problem" in tool ? tool.problem : (await directoryProblem(toolDirectory(snapshot)))?.message

const admit = async (
  deps: AgentDependencies,
  input: RunToolInput,
  started: Omit<Parameters<typeof judgeStart>[2], "tool"> & { readonly call: ToolCall; readonly tool: FoundTool },
): Promise<Admission> => {
  const { tool: found, call, snapshot } = started
  const unavailable = await unavailableHere(deps, snapshot, found)
  const tool = "problem" in found ? { name: call.name, readOnly: false } : found
  const writes = "problem" in found ? [] : pathsWritten(found, call.arguments)
  const judged = await judgeStart(deps, input, { ...started, tool, writes, unavailable, canAsk: true })
  const { facts, verdict, grantedPath } = judged
  switch (verdict.verdict) {
    case "run":
      return { kind: "run", grantedPath }
    case "refuse":
      return { kind: "refuse", why: verdict.why.text, hasBegun: facts.decided.by === "attempt" }
    case "ask":
      return { kind: "ask", ...askedAgain(judged, verdict) }
    default:
      return assertNever(verdict)
  }
}

const resultOf = (
  deps: Pick<AgentDependencies, "machine">,
  { snapshot, call }: { readonly snapshot: RunSnapshot; readonly call: ToolCall },
  { end, preview }: { readonly end: ToolEnd; readonly preview: string },
): RunToolResult => {
  // The end of the run also erases the scratch folder, where the call ran.
  const background = isBackground(call) || (snapshot.taskSandbox === true && startsProcesses(call.name))
  const machine = background ? { machine: deps.machine.name } : {}
  return { outcome: end.outcome, preview, background, ...machine }
}

const notEnded = { outcome: "ok", preview: "", background: false } as const

const runToolNow = async (
  deps: AgentDependencies,
  input: RunToolInput,
  snapshotOf: (hash: string) => Promise<RunSnapshot>,
): Promise<RunToolResult> => {
  const snapshot = await snapshotOf(input.snapshotHash)
  const { call, endProblem } = await loadProposed(deps.store, input)
  const tool = await offeredTool(deps, snapshot, call.name)
  if (activityInfo().isLocal && (!deps.runsQuickTools || "problem" in tool)) throw elsewhere(call.name)
  const noted = (end: ToolEnd): ToolEnd => ({
    ...end,
    content: withEditNote(input, call, withIgnored(end.content, call.ignored_arguments)),
  })
  const admission = await admit(deps, input, { snapshot, call, endProblem, tool })
  if (admission.kind === "ask") {
    const { kind: _, ...asked } = admission
    await writeOutbox(deps.store, input, input.outbox)
    return { ...notEnded, ...asked }
  }
  if (admission.kind === "refuse" && !admission.hasBegun) {
    const end = notExecuted(deps.redact(admission.why))
    await recordRefusal(deps, input, { name: call.name, row: toMessage(call, end) })
    return resultOf(deps, { snapshot, call }, { end, preview: previewOf(end.content) })
  }
  const once: OnceCall<ToolEnd["extra"]> = {
    name: call.name,
    // A tool that is not here does nothing, however often.
    idempotent: "problem" in tool || tool.idempotent,
    toRow: (end) => toMessage(call, end),
    fromRow: ofMessage,
    commit: (writes, end) => commitMedia(writes, input.sessionId, end),
    unknown: (content) => noted({ outcome: "unknown", content, extra: executed }),
    async run() {
      if (admission.kind === "refuse") return notExecuted(admission.why)
      if ("problem" in tool || admission.kind !== "run") throw new Error("a call runs that was not admitted")
      const context = {
        ...(await toolContext(deps, input, { snapshot, name: call.name, arguments: call.arguments })),
        ...withoutUndefined({ grantedPath: admission.grantedPath }),
      }
      const answered = await loadAnsweredQuestion(deps.store, input)
      const job = { tool, call, context: { ...context, ...(answered === undefined ? {} : { answered }) } }
      const end = await execute(deps, job)
      // Readers see a call's progress before its end.
      await deps.streamed.flush(input.sessionId)
      if ("question" in end) return end
      const content =
        end.outcome === "ok"
          ? await showFolderGuides(deps, input, { snapshot, call, content: end.content })
          : end.content
      return noted({ ...end, content })
    },
  }
  const result = await expectingChanges(deps, input, { snapshot, readOnly: "readOnly" in tool && tool.readOnly }, () =>
    runOnce(deps, input, once),
  )
  if (result.kind === "asks") return { ...notEnded, question: result.question }
  return resultOf(deps, { snapshot, call }, result)
}

/** Runs one approved call, and a call that must not be repeated at most once whatever happens to workers. */
export const createRunTool =
  (deps: AgentDependencies, snapshotOf: (hash: string) => Promise<RunSnapshot>): AgentActivities["runTool"] =>
  (input) =>
    // The gate is asked and the call is claimed only when it begins.
    runCall(deps, input, () =>
      inSlot(deps, input, { slots: deps.slots.tools, amount: 1, work: () => runToolNow(deps, input, snapshotOf) }),
    )
