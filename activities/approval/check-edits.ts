import { isDeepStrictEqual } from "node:util"
import { ApplicationFailure } from "@temporalio/activity"
import type { ToolCall } from "../../contracts/message.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { editVerdict } from "../../domain/approval/edit-verdict.ts"
import type { CheckedEdit, EditVerdict, ProposedCall } from "../../domain/run/tool-batch.ts"
import { boundPreview, previewLimit } from "../../domain/preview/bound-preview.ts"
import { cutText } from "../../domain/text/bound-for-history.ts"
import { isRecord } from "../../domain/text/is-record.ts"
import { mergeToolName } from "../../domain/tools/tool-names.ts"
import { callPreview } from "../../domain/text/preview.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { AgentActivities } from "../contract/agent-activities.ts"
import type { CheckEditsInput } from "../contract/approval-calls.ts"
import { runCall } from "../followed-calls.ts"
import { toolInput } from "../model/argument-problems.ts"
import { callSurroundings } from "../model/call-surroundings.ts"
import { classifyCall } from "../model/classify-calls.ts"
import { loadCall } from "../tools/load-call.ts"
import { auditedArguments } from "./audited-arguments.ts"
import { previewCall } from "./preview-calls.ts"

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

const plain = (call: ToolCall, problem?: string): ProposedCall => ({
  ...{ id: call.id, name: call.name, kind: problem === undefined ? "tool" : "invalid", disposition: "prompt" },
  ...{ readOnly: false, idempotent: false, preview: JSON.stringify(call.arguments) },
  ...(problem === undefined ? {} : { problem }),
})

/** A program is run as its profile says: only what it is told can be changed. */
const classifyProgram = (before: ToolCall, after: ToolCall): ProposedCall => {
  const { task, context, ...rest } = after.arguments ?? {}
  const { task: _task, context: _context, ...fixed } = before.arguments ?? {}
  if (!isDeepStrictEqual(rest, fixed)) return plain(after, "only task and context of a program can be changed")
  return typeof task === "string" && typeof context === "string"
    ? plain(after)
    : plain(after, "task and context must be texts")
}

const classifyBridge = async ({ deps, snapshot }: Checking, call: ToolCall): Promise<ProposedCall> => {
  const { tools } = await deps.mcp.tools(snapshot, [call.name])
  const tool = tools.find(({ name }) => name === call.name)
  if (tool === undefined) return plain(call, `there is no tool ${call.name} on this worker`)
  const parsed = await toolInput(tool, call.arguments)
  return "problem" in parsed ? plain(call, parsed.problem) : plain(call)
}

const classifyAnew = async (checking: Checking, before: ToolCall, after: ToolCall): Promise<ProposedCall> => {
  const { deps, input, snapshot } = checking
  // An approver would approve changes that nobody has shown them.
  if (before.name === mergeToolName)
    return plain(after, `the arguments of ${mergeToolName} say what was approved: reject the call instead`)
  switch (snapshot.execution.type) {
    case "binary":
      return classifyProgram(before, after)
    case "mcp-bridge":
      return classifyBridge(checking, after)
    case "command":
    case "llm":
      return classifyCall(after, await callSurroundings(deps, snapshot, input.sessionId))
  }
}

const writesOf = ({ deps }: Checking, call: ToolCall): readonly string[] => {
  const tool = deps.tools.get(call.name)
  const parsed = tool?.input.safeParse(call.arguments)
  return parsed?.success === true ? (tool?.writes?.(parsed.data) ?? []) : []
}

/** Stores the new arguments, and the preview that the call has with them. A file that was shown before is still expected as it was then. */
const storeEdit = async (checking: Checking, { id, resultSeq: seq }: Edit, call: ToolCall): Promise<void> => {
  const { deps, input, snapshot } = checking
  await deps.store.callEdits.put(input.sessionId, { seq, callId: id, arguments: call.arguments ?? {} })
  const [shown] = await deps.store.callPreviews.read(input.sessionId, { from: seq, to: seq })
  const { preview, watched } = await previewCall({ deps, snapshot, sessionId: input.sessionId, texts: new Map() }, call)
  const before = shown?.callId === id ? shown.watched : null
  const expected = before !== null && before.path === watched?.path ? before : watched
  const row = { seq, callId: id, preview: boundPreview(preview, previewLimit(1)), watched: expected }
  await deps.store.callPreviews.put(input.sessionId, [row])
}

/** Records both versions of the call: who decided is in the record of the decision. */
const audit = async (
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
  const proposed = await classifyAnew(checking, before, after)
  const verdict = editVerdict({
    before: edit,
    after: { ...proposed, preview: callPreview(deps.redact(proposed.preview)) },
    hasSameFiles: isDeepStrictEqual(writesOf(checking, before), writesOf(checking, after)),
  })
  if (verdict.kind !== "refuse") await storeEdit(checking, edit, after)
  await audit(checking, { before, after, verdict })
  const shown = "reason" in verdict ? { reason: cutText(deps.redact(verdict.reason), maxVerdict) } : {}
  return { id: edit.id, verdict: { ...verdict, ...shown } }
}

/** Creates the activity that checks the new arguments of calls by the schemas of their tools and by policy. */
export const createCheckEdits =
  (deps: AgentDependencies, snapshotOf: (hash: string) => Promise<RunSnapshot>): AgentActivities["checkEdits"] =>
  (input) =>
    runCall(deps, input, async () => {
      const snapshot = await snapshotOf(input.snapshotHash)
      return Promise.all(input.calls.map((edit) => check({ deps, input, snapshot }, edit)))
    })
