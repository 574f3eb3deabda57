import type { CallPreview } from "../../contracts/approval/call-preview.ts"
import type { ToolCall } from "../../contracts/message.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { startsProcesses } from "../../domain/approval/process-sandbox.ts"
import { argumentPreview, cutToLine, callSummary } from "../../domain/preview/argument-preview.ts"
import { boundPreview, maxStoredPreview } from "../../domain/preview/bound-preview.ts"
import { assertNever } from "../../domain/assert-never.ts"
import { redactTexts } from "../../domain/text/redact.ts"
import { startOf } from "../../domain/text/foreign/well-formed.ts"
import { visible } from "../../domain/text/visible.ts"
import { isDelegationTool, mergeToolName } from "../../domain/tools/tool-names.ts"
import type { CallPreviewRow } from "../../store/store.ts"
import type { ChangePreview, ChangedTexts } from "../../tools/preview/preview-change.ts"
import type { FileChange, Tool } from "../../tools/tool.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { AgentActivities } from "../contract/agent-activities.ts"
import type { PreviewCallsInput } from "../contract/approval-calls.ts"
import { confinementOf, pathsWritten, protectionOf } from "../approval/call-facts.ts"
import { namedProtected } from "./named-protected.ts"
import { isForeignTool, watchForeignTool } from "../approval/watched-tool.ts"
import { followCall } from "../followed-calls.ts"
import { offeredTool } from "../model/offer/offered-tools.ts"
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
  // A tool of an MCP server cannot say what it changes, so its server is not asked.
  const tool = deps.tools.has(name) ? await offeredTool(deps, snapshot, name) : undefined
  return tool === undefined || "problem" in tool ? undefined : tool
}

const fileChanges = (tool: Tool, input: unknown): readonly FileChange[] => {
  if (tool.changes !== undefined) return tool.changes(input)
  const [path] = tool.writes?.(input) ?? []
  if (path === undefined || tool.rewrites === undefined) return []
  return [{ path, isWhole: tool.name === "Write", change: (before) => tool.rewrites?.(input, before) ?? "" }]
}

/** Returns what the call changes in its files; undefined if the tool cannot tell. */
const changeOf = async (previewing: Previewing, call: ToolCall, tool: Tool): Promise<ChangePreview | undefined> => {
  const { deps, snapshot, sessionId, texts } = previewing
  const parsed = tool.input.safeParse(call.arguments)
  if (!parsed.success) return undefined
  return await deps.previews.change(snapshot, fileChanges(tool, parsed.data), {
    callId: call.id,
    texts,
    seenContent: (file) => deps.store.touchedFiles.seen(sessionId, file),
  })
}

const openedFlags = {
  sandbox: "leaves the sandbox: it runs with all rights of the worker's user",
  hosts: "leaves the sandbox: it reaches the hosts that it names",
  network:
    "leaves the sandbox: it reaches the whole network and the servers of this machine, since this sandbox cannot limit hosts",
} as const

/** What a decision on a call depends on besides its arguments: if it is different when the call starts, people are asked again. */
interface Bound extends Pick<CallPreviewRow, "watched"> {
  readonly facts: Pick<CallPreview, "confined" | "opens" | "tool_sha256">
  readonly flags: readonly string[]
}

/** Returns the sandbox in which a call would run, or how its MCP server describes the tool. */
const boundTo = async ({ deps, snapshot }: Previewing, call: Pick<ToolCall, "name" | "arguments">): Promise<Bound> => {
  if (isForeignTool(call.name)) {
    const watched = await watchForeignTool(deps, snapshot, call.name)
    return watched === undefined || watched.sha256 === null
      ? { facts: {}, flags: ["its MCP server does not describe the tool now"], watched: null }
      : { facts: { tool_sha256: watched.sha256 }, flags: [], watched }
  }
  if (!startsProcesses(call.name)) return { facts: {}, flags: [], watched: null }
  const { confined, reason, opens } = await confinementOf(deps, snapshot, call)
  if (opens !== undefined) return { facts: { confined, opens }, flags: [openedFlags[opens]], watched: null }
  const flags = confined ? [] : [`not confined: ${visible(reason ?? "no sandbox is used")}`]
  return { facts: { confined }, flags, watched: null }
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

type Previewed = Pick<CallPreviewRow, "preview" | "watched">

/** Returns the preview of a call whose directory can be read: with the diff of its files, and with the protected path that it changes. */
const placePreview = async (
  previewing: Previewing,
  call: ToolCall,
  { plain, bound }: { readonly plain: CallPreview; readonly bound: Bound },
): Promise<Previewed> => {
  const { deps, snapshot } = previewing
  const tool = await toolOf(previewing, call.name)
  const { flags: uncheckedFlags, ...protection } = await protectedOf(previewing, call, tool)
  const named = await namedProtected(deps, snapshot, redactedCall(previewing, call))
  const facts = { ...bound.facts, ...protection }
  const change = tool === undefined ? undefined : await changeOf(previewing, call, tool)
  const ownFlags = [...plain.flags, ...uncheckedFlags]
  if (change === undefined)
    return {
      preview: { ...plain, ...facts, flags: [...ownFlags, ...bound.flags, ...named] },
      watched: bound.watched,
    }
  const { details, flags, ...parts } = change.preview
  const { text, ...rest } = plain
  const body = parts.diff === undefined && text !== undefined ? { text } : {}
  return {
    preview: {
      ...rest,
      ...body,
      ...facts,
      ...parts,
      summary: callSummary(redactedCall(previewing, call), details),
      flags: [...ownFlags, ...flags],
    },
    watched: change.watched,
  }
}

const redactedCall = ({ deps }: Previewing, { name, arguments: args }: ToolCall) =>
  redactTexts({ name, arguments: args ?? {} }, deps.redact)

/** Returns the preview of a call. If its diff cannot be made, the arguments are shown, and what else a decision depends on. */
export const previewCall = async (previewing: Previewing, call: ToolCall): Promise<Previewed> => {
  const { deps, snapshot } = previewing
  const plain = argumentPreview(redactedCall(previewing, call))
  const bound = await boundTo(previewing, call)
  const withoutDiff = (why: string): Previewed => ({
    preview: { ...plain, ...bound.facts, flags: [...plain.flags, ...bound.flags, `no diff: ${why}`] },
    watched: bound.watched,
  })
  try {
    if (call.name === mergeToolName) return await previewMerge(previewing, call, plain)
    if (isDelegationTool(call.name)) return { preview: plain, watched: null }
    const misplaced = await deps.directoryProblem(toolDirectory(snapshot))
    if (misplaced !== undefined) return withoutDiff(visible(misplaced.message))
    return await placePreview(previewing, call, { plain, bound })
  } catch (error) {
    deps.logger.warn({ err: error, callId: call.id }, "a preview could not be made")
    return withoutDiff("the preview could not be made")
  }
}

const maxShownDefinition = 4_000

/** Returns how the MCP server's description of the tool differs from the one that was shown before; it comes first in the new preview. */
const changedDefinition = async (
  { deps, sessionId }: Previewing,
  { seq, watched }: Pick<CallPreviewRow, "seq" | "watched">,
): Promise<string | undefined> => {
  const [row] = await deps.store.callPreviews.read(sessionId, { from: seq, to: seq })
  const before = row?.watched
  if (watched === null || before?.path !== watched.path || before.sha256 === watched.sha256) return undefined
  const diff = await deps.previews.diff(watched.path, before.real, watched.real)
  return diff === undefined ? undefined : startOf(diff, maxShownDefinition)
}

/** Adds to a preview why people are asked about the call again. */
const askedAgainPreview = async (
  previewing: Previewing,
  again: string,
  { seq, preview, watched }: Pick<CallPreviewRow, "seq" | "preview" | "watched">,
): Promise<Pick<CallPreview, "asked_again" | "text">> => {
  const asked = { asked_again: cutToLine(again, maxReason) }
  const diff = preview.tool_sha256 === undefined ? undefined : await changedDefinition(previewing, { seq, watched })
  return diff === undefined
    ? asked
    : { ...asked, text: `The description of the tool has changed:\n${diff}\n\nThe call:\n${preview.text ?? ""}` }
}

const rowsOf = async (
  previewing: Previewing,
  { calls, ...input }: PreviewCallsInput,
): Promise<readonly CallPreviewRow[]> => {
  const rows: CallPreviewRow[] = []
  // One after another: a call is shown as it applies to the result of the calls before it.
  for (const { id, resultSeq, isPending, again, isEdited = false } of calls) {
    const call = await loadCall(previewing.deps.store, { ...input, callId: id, resultSeq, isEdited })
    const { preview, watched } = await previewCall(previewing, call)
    if (!isPending) continue
    const asked =
      again === undefined ? {} : await askedAgainPreview(previewing, again, { seq: resultSeq, preview, watched })
    rows.push({
      seq: resultSeq,
      callId: id,
      preview: boundPreview({ ...preview, ...asked }, maxStoredPreview),
      watched,
    })
  }
  return rows
}

/** Creates the activity that makes the previews of pending calls. It reads the working directory, and writes only the previews. */
export const createPreviewCalls =
  (deps: AgentDependencies, snapshotOf: (hash: string) => Promise<RunSnapshot>): AgentActivities["previewCalls"] =>
  (input) =>
    followCall(deps, input, async () => {
      const snapshot = await snapshotOf(input.snapshotHash)
      const rows = await rowsOf({ deps, snapshot, sessionId: input.sessionId, texts: new Map() }, input)
      await deps.store.callPreviews.put(input.sessionId, rows)
    })
