import { readEditNote } from "../../domain/calls/edit-note.ts"
import { stepCounter } from "../../domain/transcript/fork-point.ts"
import type { TranscriptRow } from "../api/shapes.ts"
import { blocksOf, type CallItem } from "../state/blocks.ts"
import { previewKey, type Previews } from "../state/previews.ts"
import { applyPatchName } from "../../domain/tools/tool-names.ts"
import { type MadeDiff, madeDiff, diffsOfPatch } from "./made-diff.ts"

export interface Change extends MadeDiff {
  readonly sessionId: string
  /** Counted over all runs of the session. */
  readonly step: number
  readonly tool: string
}

const writers: ReadonlySet<string> = new Set(["Write", "Edit", "MultiEdit", applyPatchName])

const editedNote = "A person approved this call with other arguments, which are too long to be known here."

interface MadeChange extends MadeDiff {
  readonly file: string
}

const changesOf = ({ call, result, seq }: CallItem, previews: Previews): readonly MadeChange[] => {
  if (!writers.has(call.name) || result?.outcome !== "ok") return []
  const edit = readEditNote(result.content)
  const args = edit === undefined ? call.arguments : edit.executed
  const patch = args?.["patch"]
  if (call.name === applyPatchName && typeof patch === "string") return diffsOfPatch(patch)
  const file = args?.["file_path"] ?? call.arguments?.["file_path"]
  if (typeof file !== "string") return []
  if (args === undefined || args === null) return [{ file, diff: "", note: editedNote }]
  // The preview shows what the model proposed.
  const preview = edit === undefined ? previews.get(previewKey(seq, call.id)) : undefined
  return [{ file, ...madeDiff({ name: call.name, arguments: args }, edit?.content ?? result.content, preview) }]
}

/**
 * Leaves out previews of calls after another change of the same file in the same answer: they assume that the other call runs as proposed. Paths to one
 * file can differ, so the name decides.
 */
const certain = (calls: readonly CallItem[], previews: Previews): Previews => {
  const seen = new Set<string>()
  const kept = new Map(previews)
  for (const { call, seq } of calls) {
    if (!writers.has(call.name)) continue
    const place = `${seq} ${String(call.arguments?.["file_path"]).split("/").at(-1)}`
    if (seen.has(place)) kept.delete(previewKey(seq, call.id))
    seen.add(place)
  }
  return kept
}

/** Returns the changes that a transcript reports as made, by file, oldest first. */
export const reportedChanges = (
  sessionId: string,
  rows: readonly TranscriptRow[],
  previews: Previews = new Map(),
): ReadonlyMap<string, readonly Change[]> => {
  const numberOf = stepCounter()
  const answers = rows.filter(({ message }) => message.role === "assistant")
  const steps = new Map(answers.map(({ seq, run_id: run, step }) => [seq, numberOf(run, step)]))
  const calls = blocksOf(rows).flatMap((block) => (block.kind === "user" ? [] : block.calls))
  const known = certain(calls, previews)
  const files = new Map<string, Change[]>()
  for (const item of calls)
    for (const { file, ...diff } of changesOf(item, known)) {
      const change = { sessionId, step: steps.get(item.seq) ?? 0, tool: item.call.name, ...diff }
      files.set(file, [...(files.get(file) ?? []), change])
    }
  return files
}
