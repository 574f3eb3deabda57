import type { CallPreview } from "../../contracts/approval/call-preview.ts"
import type { ToolCall } from "../../contracts/message.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { startsProcesses } from "../../domain/approval/process-sandbox.ts"
import { argumentPreview, lineOf, summaryOf } from "../../domain/preview/argument-preview.ts"
import { boundPreview, previewLimit } from "../../domain/preview/bound-preview.ts"
import { assertNever } from "../../domain/assert-never.ts"
import { redactTexts } from "../../domain/text/redact.ts"
import { visible } from "../../domain/text/visible.ts"
import { withoutUndefined } from "../../domain/without-undefined.ts"
import { isDelegationTool, mergeToolName } from "../../domain/tools/tool-names.ts"
import type { CallPreviewRow } from "../../store/store.ts"
import type { ChangePreview, ChangedTexts } from "../../tools/preview/preview-change.ts"
import type { Tool } from "../../tools/tool.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { AgentActivities } from "../contract/agent-activities.ts"
import type { PreviewCallsInput } from "../contract/approval-calls.ts"
import { confinementOf, pathsWritten, protectionOf } from "./call-facts.ts"
import { namedProtected } from "./named-protected.ts"
import { runCall } from "../followed-calls.ts"
import { offeredTool } from "../model/offered-tools.ts"
import { previewMerge } from "../worktree/preview-merge.ts"
import { loadCall } from "../tools/load-call.ts"
import { toolDirectory } from "../../domain/workspace/tool-directory.ts"

const maxReason = 500

export interface Previewing {
  readonly deps: AgentDependencies
  readonly snapshot: RunSnapshot
  readonly sessionId: string
  readonly texts: ChangedTexts
}

const toolOf = async ({ deps, snapshot }: Previewing, name: string): Promise<Tool | undefined> => {
  // Only a tool that can say what it changes is needed, and those of MCP servers cannot.
  const tool = deps.tools.has(name) ? await offeredTool(deps, snapshot, name) : undefined
  return tool === undefined || "problem" in tool ? undefined : tool
}

/** Returns what the call changes in its file; undefined if the tool cannot tell. */
const changeOf = async (previewing: Previewing, call: ToolCall, tool: Tool): Promise<ChangePreview | undefined> => {
  const { deps, snapshot, texts } = previewing
  const parsed = tool.input.safeParse(call.arguments)
  if (!parsed.success || tool.rewrites === undefined) return undefined
  const [path] = tool.writes?.(parsed.data) ?? []
  if (path === undefined) return undefined
  return await deps.previews.change(snapshot, {
    path,
    isWhole: tool.name === "Write",
    change: (before) => tool.rewrites?.(parsed.data, before) ?? "",
    callId: call.id,
    texts,
  })
}

const openedFlags = {
  sandbox: "leaves the sandbox: it runs with all rights of the worker's user",
  hosts: "leaves the sandbox: it reaches the hosts that it names",
  network:
    "leaves the sandbox: it reaches the whole network and the servers of this machine, since this sandbox cannot limit hosts",
} as const

const sandboxOf = async (
  { deps, snapshot }: Previewing,
  call: Pick<ToolCall, "name" | "arguments">,
): Promise<Pick<CallPreview, "confined" | "opens" | "flags">> => {
  if (!startsProcesses(call.name)) return { flags: [] }
  const { confined, reason, opens } = await confinementOf(deps, snapshot, call)
  if (opens !== undefined) return { confined, opens, flags: [openedFlags[opens]] }
  return { confined, flags: confined ? [] : [`not confined: ${visible(reason ?? "no sandbox is used")}`] }
}

const protectedOf = async (
  { deps, snapshot }: Previewing,
  call: ToolCall,
  tool: Tool | undefined,
): Promise<Pick<CallPreview, "protected_path" | "flags">> => {
  const change = await protectionOf(deps, snapshot, pathsWritten(tool, call.arguments))
  switch (change.kind) {
    case "free":
      return { flags: [] }
    case "protected":
      return { protected_path: visible(change.path), flags: [] }
    case "unchecked":
      return { flags: [`it could not be checked for protected paths: ${visible(change.why)}`] }
    default:
      return assertNever(change)
  }
}

const previewOf = async (
  previewing: Previewing,
  call: ToolCall,
): Promise<Pick<CallPreviewRow, "preview" | "watched">> => {
  const { deps, snapshot } = previewing
  const shown = redactTexts({ name: call.name, arguments: call.arguments ?? {} }, deps.redact)
  const plain = argumentPreview(shown)
  if (call.name === mergeToolName) return await previewMerge(previewing, call, plain)
  if (isDelegationTool(call.name)) return { preview: plain, watched: null }
  const misplaced = await deps.directoryProblem(toolDirectory(snapshot))
  if (misplaced !== undefined)
    return { preview: { ...plain, flags: [...plain.flags, `no diff: ${visible(misplaced.message)}`] }, watched: null }
  const tool = await toolOf(previewing, call.name)
  const sandbox = await sandboxOf(previewing, call)
  const { flags: uncheckedFlags, ...protection } = await protectedOf(previewing, call, tool)
  const named = await namedProtected(deps, snapshot, shown)
  const facts = {
    ...withoutUndefined({ confined: sandbox.confined, opens: sandbox.opens }),
    ...protection,
  }
  const change = tool === undefined ? undefined : await changeOf(previewing, call, tool)
  const ownFlags = [...plain.flags, ...uncheckedFlags]
  if (change === undefined)
    return { preview: { ...plain, ...facts, flags: [...ownFlags, ...sandbox.flags, ...named] }, watched: null }
  const { details, flags, ...parts } = change.preview
  const { text, ...rest } = plain
  const body = parts.diff === undefined && text !== undefined ? { text } : {}
  return {
    preview: {
      ...rest,
      ...body,
      ...facts,
      ...parts,
      summary: summaryOf(shown, details),
      flags: [...ownFlags, ...flags],
    },
    watched: change.watched,
  }
}

/** Returns the preview of a call. One that cannot be made is replaced by what the arguments say. */
export const previewCall = async (previewing: Previewing, call: ToolCall): ReturnType<typeof previewOf> => {
  try {
    return await previewOf(previewing, call)
  } catch (error) {
    previewing.deps.logger.warn({ err: error, callId: call.id }, "a preview could not be made")
    const plain = argumentPreview(
      redactTexts({ name: call.name, arguments: call.arguments ?? {} }, previewing.deps.redact),
    )
    return { preview: { ...plain, flags: [...plain.flags, "no diff: the preview could not be made"] }, watched: null }
  }
}

const rowsOf = async (
  previewing: Previewing,
  { calls, ...input }: PreviewCallsInput,
): Promise<readonly CallPreviewRow[]> => {
  const most = previewLimit(calls.filter(({ isPending }) => isPending).length)
  const rows: CallPreviewRow[] = []
  // One after another: a call is shown as it applies to the result of the calls before it.
  for (const { id, resultSeq, isPending, again, isEdited = false } of calls) {
    const call = await loadCall(previewing.deps.store, { ...input, callId: id, resultSeq, isEdited })
    const { preview, watched } = await previewCall(previewing, call)
    if (!isPending) continue
    const asked = again === undefined ? {} : { asked_again: lineOf(again, maxReason) }
    rows.push({ seq: resultSeq, callId: id, preview: boundPreview({ ...preview, ...asked }, most), watched })
  }
  return rows
}

/** Creates the activity that makes the previews of pending calls. It reads the working directory, and writes only the previews. */
export const createPreviewCalls =
  (deps: AgentDependencies, snapshotOf: (hash: string) => Promise<RunSnapshot>): AgentActivities["previewCalls"] =>
  (input) =>
    runCall(deps, input, async () => {
      const snapshot = await snapshotOf(input.snapshotHash)
      const rows = await rowsOf({ deps, snapshot, sessionId: input.sessionId, texts: new Map() }, input)
      await deps.store.callPreviews.put(input.sessionId, rows)
    })
