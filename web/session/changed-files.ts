import type { TranscriptRow } from "../api/shapes.ts"
import { callParts, type ShownCall } from "../shown/call-parts.ts"
import { blocksOf } from "./blocks.ts"

export interface Change {
  readonly sessionId: string
  readonly step: number
  readonly tool: string
  readonly diff: string
}

const writers: ReadonlySet<string> = new Set(["Write", "Edit", "MultiEdit"])

const diffsOf = (call: ShownCall): readonly string[] =>
  callParts(call).flatMap((part) => (part.kind === "diff" ? [part.text] : []))

/** Returns the changes that a transcript reports as made, by file, oldest first. */
export const changedFiles = (
  sessionId: string,
  rows: readonly TranscriptRow[],
): ReadonlyMap<string, readonly Change[]> => {
  const steps = new Map(rows.map(({ seq, step }) => [seq, step]))
  const files = new Map<string, Change[]>()
  for (const block of blocksOf(rows)) {
    if (block.kind === "user") continue
    for (const { call, result, seq } of block.calls) {
      const file = call.arguments?.["file_path"]
      if (!writers.has(call.name) || typeof file !== "string" || result?.outcome !== "ok") continue
      const diff = diffsOf({ name: call.name, arguments: call.arguments ?? {} }).join("\n")
      const change = { sessionId, step: steps.get(seq) ?? 0, tool: call.name, diff }
      files.set(file, [...(files.get(file) ?? []), change])
    }
  }
  return files
}
