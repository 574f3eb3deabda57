import { createHash } from "node:crypto"
import { counted } from "../../domain/text/figures.ts"
import type { CallPreview } from "../../contracts/approval/call-preview.ts"
import type { ToolCall } from "../../contracts/message.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { redactDiff } from "../../domain/workspace/worktree/redact-diff.ts"
import { cutToLine, callSummary } from "../../domain/preview/argument-preview.ts"
import { visible } from "../../domain/text/visible.ts"
import { toolDirectory } from "../../domain/workspace/tool-directory.ts"
import type { CallPreviewRow } from "../../store/store.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { mergeFacts, type MergeFacts } from "./merge-facts.ts"

interface Previewing {
  readonly deps: AgentDependencies
  readonly snapshot: RunSnapshot
  readonly sessionId: string
}

const maxFlag = 300

const conflictFlags = async ({ deps, snapshot }: Previewing, patch: Buffer): Promise<readonly string[]> => {
  const found = await deps.worktrees.check(toolDirectory(snapshot), patch)
  if (found.kind === "applied") return []
  return found.kind === "present"
    ? ["the files have these changes already"]
    : [`does not fit the files as they are: ${deps.redact(found.reason)}`]
}

const flagsOf = ({ row, change }: MergeFacts): readonly string[] => [
  ...(change.kind === "protected" ? [`changes what is protected: ${change.path}`] : []),
  ...(row.details?.left_out ?? []).map((text) => `not part of the changes: ${text}`),
]

/** Returns what identifies changes: the same tree can be another diff, if the sub-agent has begun with other files. */
export const shownChanges = (
  sessionId: string,
  tree: string,
  patch: Buffer,
): NonNullable<CallPreviewRow["watched"]> => ({
  path: sessionId,
  real: tree,
  sha256: createHash("sha256").update(patch).digest("hex"),
})

/**
 * Returns the preview of a call of `sessions_merge`: the diff of the tree that the call names, against the caller's files. `watched`: what is merged, if
 * the call is approved.
 */
export const previewMerge = async (
  previewing: Previewing,
  call: ToolCall,
  plain: CallPreview,
): Promise<Pick<CallPreviewRow, "preview" | "watched">> => {
  const { deps, sessionId, snapshot } = previewing
  const facts = await mergeFacts({ deps, snapshot, sessionId }, call)
  if ("problem" in facts)
    return {
      preview: { ...plain, flags: [...plain.flags, cutToLine(deps.redact(facts.problem), maxFlag)] },
      watched: null,
    }
  const { child, row, change } = facts
  const patch = (await deps.store.worktrees.readPatch(child.id)) ?? Buffer.alloc(0)
  const files = row.details?.files ?? []
  const flags = [...flagsOf(facts), ...(await conflictFlags(previewing, patch))]
  const { text: _, ...rest } = plain
  const preview = {
    ...rest,
    summary: callSummary({ name: call.name, arguments: { sessionKey: child.id } }, [
      counted(files.length, "file"),
      `tree ${row.tree ?? "unknown"}`,
    ]),
    diff: visible(redactDiff(patch.toString("utf8"), deps.redact)),
    flags: [...plain.flags, ...flags.map((flag) => cutToLine(flag, maxFlag))],
    ...(change.kind === "protected" ? { protected_path: visible(change.path) } : {}),
  }
  return { preview, watched: shownChanges(child.id, row.tree ?? "", patch) }
}
