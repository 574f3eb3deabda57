import { isDeepStrictEqual } from "node:util"
import { ApplicationFailure } from "@temporalio/activity"
import type { CallPreview } from "../../contracts/approval/call-preview.ts"
import type { ToolCall } from "../../contracts/message.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { type Decided, gate, type Verdict } from "../../domain/approval/gate.ts"
import type { CheckedEdit, EditVerdict } from "../../domain/calls/tool-batch.ts"
import { boundPreview, maxStoredPreview } from "../../domain/preview/bound-preview.ts"
import { cutText } from "../../domain/text/bound-for-history.ts"
import type { ApprovalsOfCall } from "../../domain/people/right-to-decide.ts"
import type { PolicyTool } from "../../domain/approval/tool-policy.ts"
import { sandboxWishOf } from "../../domain/approval/process-sandbox.ts"
import { assertNever } from "../../domain/assert-never.ts"
import { isRecord } from "../../domain/text/is-record.ts"
import { withoutUndefined } from "../../domain/without-undefined.ts"
import { mergeToolName } from "../../domain/tools/tool-names.ts"
import { callPreview } from "../../domain/text/preview.ts"
import type { CallPreviewRow } from "../../store/store.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { AgentActivities } from "../contract/agent-activities.ts"
import type { CheckEditsInput } from "../contract/approval-calls.ts"
import { followCall } from "../followed-calls.ts"
import { toolInput } from "../model/argument-problems.ts"
import { callSurroundings } from "../model/call-surroundings.ts"
import { classifyCall } from "../model/classify-calls.ts"
import { loadCall } from "../tools/load-call.ts"
import { auditedArguments } from "../approval/audited-arguments.ts"
import { approvalsOfEdit, collectFacts, pathsWritten } from "../approval/call-facts.ts"
import { previewCall } from "./preview-calls.ts"
import { isForeignTool } from "../approval/watched-tool.ts"

const maxVerdict = 500

type Edit = CheckEditsInput["calls"][number]
interface Checking {
  readonly deps: AgentDependencies
  readonly input: CheckEditsInput
  readonly snapshot: RunSnapshot
}

const argumentsOf = async ({ deps, input }: Checking, { edit }: Edit): Promise<NonNullable<ToolCall["arguments"]>> => {
  if ("arguments" in edit) return { ...edit.arguments }
  const row = await deps.store.inbox.get(input.sessionId, edit.argumentsId)
  const value: unknown = row === undefined ? undefined : JSON.parse(row.text)
  if (isRecord(value)) return { ...value }
  throw ApplicationFailure.nonRetryable("the new arguments of a call are not in the store", "storage_failed")
}

/** A call with its new arguments as the gate judged it, or why its tool does not take them. */
type Judgement = { readonly verdict: Verdict; readonly isProtected: boolean } | { readonly problem: string }

interface EditedCall {
  readonly before: ToolCall
  readonly after: ToolCall
  /** The approver approves the new arguments by naming them. */
  readonly decided: Decided
  /** The people who approve it, if a rule asks for that: the one who gave the new arguments, where that is enough. */
  readonly approvals: ApprovalsOfCall
}

/** Judges the one call of a run without a model. */
const judgePlain = async (
  { deps, snapshot }: Checking,
  tool: PolicyTool,
  { decided, approvals }: EditedCall,
): Promise<Judgement> => ({
  verdict: gate(await collectFacts(deps, snapshot, { tool, decided, approvals })),
  isProtected: false,
})

/** Returns why new arguments do not fit the call of a program. The profile says which program runs; an approver can change only its task and context. */
const programProblem = ({ before, after }: EditedCall): string | undefined => {
  const { task, context, ...rest } = after.arguments ?? {}
  const { task: _task, context: _context, ...fixed } = before.arguments ?? {}
  if (!isDeepStrictEqual(rest, fixed)) return "only task and context of a program can be changed"
  return typeof task === "string" && typeof context === "string" ? undefined : "task and context must be texts"
}

const judgeProgram = async (checking: Checking, edited: EditedCall): Promise<Judgement> => {
  const problem = programProblem(edited)
  return problem === undefined
    ? judgePlain(checking, { name: edited.after.name, readOnly: false }, edited)
    : { problem }
}

const judgeBridge = async (checking: Checking, edited: EditedCall): Promise<Judgement> => {
  const { after } = edited
  const { tools } = await checking.deps.mcp.tools(checking.snapshot, [after.name])
  const tool = tools.find(({ name }) => name === after.name)
  if (tool === undefined) return { problem: `there is no tool ${after.name} on this worker` }
  const parsed = await toolInput(tool, after.arguments)
  return "problem" in parsed ? parsed : judgePlain(checking, tool, edited)
}

const judgeTool = async (
  { deps, input, snapshot }: Checking,
  { after, decided, approvals }: EditedCall,
): Promise<Judgement> => {
  const surroundings = await callSurroundings(deps, snapshot, input)
  const { proposed, verdict } = await classifyCall(after, { ...surroundings, decided, approvals })
  if (proposed.kind === "invalid") return { problem: proposed.problem ?? "the call cannot run" }
  return { verdict: verdict ?? { verdict: "run" }, isProtected: proposed.isProtected === true }
}

const judgeAnew = async (checking: Checking, edited: EditedCall): Promise<Judgement> => {
  // With other arguments, the call would merge changes that the approver has not seen.
  if (edited.before.name === mergeToolName)
    return { problem: `the arguments of ${mergeToolName} say what was approved: reject the call instead` }
  switch (checking.snapshot.execution.type) {
    case "binary":
      return judgeProgram(checking, edited)
    case "mcp-bridge":
      return judgeBridge(checking, edited)
    case "command":
      return sandboxWishOf(edited.after.name, edited.after.arguments) === undefined
        ? judgeTool(checking, edited)
        : { problem: "the command of a task cannot ask for more than its sandbox gives" }
    case "llm":
      return judgeTool(checking, edited)
  }
}

const verdictOn = (judgement: Judgement, preview: string): EditVerdict => {
  if ("problem" in judgement) return { kind: "refuse", reason: `the new arguments are refused: ${judgement.problem}` }
  const { verdict, isProtected } = judgement
  switch (verdict.verdict) {
    case "run":
      return { kind: "run", isProtected, preview }
    case "ask": {
      const why = verdict.why.map(({ text }) => text).join("; ")
      return { kind: "ask", isProtected, preview, reason: `with the new arguments, ${why}` }
    }
    case "refuse":
      return { kind: "refuse", reason: `the new arguments are refused: ${verdict.why.text}` }
    default:
      return assertNever(verdict)
  }
}

const hasSameFiles = ({ deps }: Checking, before: ToolCall, after: ToolCall): boolean => {
  const tool = deps.tools.get(before.name)
  return isDeepStrictEqual(pathsWritten(tool, before.arguments), pathsWritten(tool, after.arguments))
}

/**
 * Returns a preview that promises the sandbox which the approver was shown. The sandbox that the call would get now may be a weaker one: then the call is
 * asked about again when it starts. Only hosts that the new arguments name are added, because the approver has written them.
 */
const withShownSandbox = (shown: CallPreview | undefined, { confined, opens, ...rest }: CallPreview): CallPreview => {
  if (confined === undefined) return rest
  const named = opens === "network" && shown?.opens !== "network" ? "hosts" : opens
  return { ...rest, ...withoutUndefined({ confined: shown?.confined, opens: named }) }
}

/** Returns the paths of the files that a decision depends on. */
const filesOf = (watched: CallPreviewRow["watched"]): readonly string[] =>
  watched === null ? [] : [watched.path, ...(watched.others ?? []).map(({ path }) => path)]

/**
 * Stores the new arguments, and the preview of the call with them. The approver saw the file or the tool as it was in the first preview; so the call still
 * expects that content, unless the new arguments name other files.
 */
const storeEdit = async (checking: Checking, { id, resultSeq: seq }: Edit, call: ToolCall): Promise<void> => {
  const { deps, input, snapshot } = checking
  await deps.store.callEdits.put(input.sessionId, { seq, callId: id, arguments: call.arguments ?? {} })
  const [row] = await deps.store.callPreviews.read(input.sessionId, { from: seq, to: seq })
  const shown = row?.callId === id ? row : undefined
  const { preview, watched } = await previewCall({ deps, snapshot, sessionId: input.sessionId, texts: new Map() }, call)
  const before = shown?.watched ?? null
  const keepsShown =
    isForeignTool(call.name) || (before !== null && isDeepStrictEqual(filesOf(before), filesOf(watched)))
  const stored = boundPreview(withShownSandbox(shown?.preview, preview), maxStoredPreview)
  const expected = keepsShown ? before : watched
  await deps.store.callPreviews.put(input.sessionId, [{ seq, callId: id, preview: stored, watched: expected }])
}

/** Records both versions of the call in the audit log. The row of the decision says who made it. */
const auditEdit = async (
  { deps, input }: Checking,
  versions: { readonly before: ToolCall; readonly after: ToolCall; readonly verdict: EditVerdict },
): Promise<void> => {
  const { before, after, verdict } = versions
  const shown = (args: ToolCall["arguments"]) => auditedArguments(args, deps.redact)
  await deps.store.audit.record({
    ...{ sessionId: input.sessionId, runId: input.runId, action: "edit", by: "adjutant", via: "worker" },
    detail: {
      ...{ checkpoint_id: input.checkpointId, call_id: before.id, tool: before.name, verdict: verdict.kind },
      ...{ proposed: shown(before.arguments), arguments: shown(after.arguments) },
    },
    key: `edit:${input.checkpointId}:${before.id}`,
  })
}

const check = async (checking: Checking, edit: Edit): Promise<CheckedEdit> => {
  const { deps, input } = checking
  const before = await loadCall(deps.store, { ...input, ...edit, callId: edit.id })
  const after: ToolCall = { id: before.id, name: before.name, arguments: { ...(await argumentsOf(checking, edit)) } }
  const knowsProtected = edit.isProtected && hasSameFiles(checking, before, after)
  const decided: Decided = { by: "person", knowsProtected, changes: [] }
  const approvals = await approvalsOfEdit(deps, { sessionId: input.sessionId, callId: edit.id }, before.name)
  const preview = callPreview(deps.redact(JSON.stringify(after.arguments)))
  const verdict = verdictOn(await judgeAnew(checking, { before, after, decided, approvals }), preview)
  if (verdict.kind !== "refuse") await storeEdit(checking, edit, after)
  await auditEdit(checking, { before, after, verdict })
  const shown = "reason" in verdict ? { reason: cutText(deps.redact(verdict.reason), maxVerdict) } : {}
  return { id: edit.id, verdict: { ...verdict, ...shown } }
}

/** Creates the activity that checks the new arguments of calls by the schemas of their tools and by policy. */
export const createCheckEdits =
  (deps: AgentDependencies, snapshotOf: (hash: string) => Promise<RunSnapshot>): AgentActivities["checkEdits"] =>
  (input) =>
    followCall(deps, input, async () => {
      const snapshot = await snapshotOf(input.snapshotHash)
      return Promise.all(input.calls.map((edit) => check({ deps, input, snapshot }, edit)))
    })
