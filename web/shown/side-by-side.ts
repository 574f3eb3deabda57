import type { DiffLine } from "../../domain/preview/diff-lines.ts"

/** A row of a diff that shows the file before and after next to each other: the indexes of its lines. A line that is both, or a head, is on both sides. */
export interface SideRow {
  readonly left: number | undefined
  readonly right: number | undefined
}

/** Returns the rows of a diff side by side: removed lines stand next to those that follow them. */
export const sideBySide = (lines: readonly DiffLine[]): readonly SideRow[] => {
  const rows: SideRow[] = []
  let [removed, added]: [number[], number[]] = [[], []]
  const flush = (): void => {
    for (let at = 0; at < Math.max(removed.length, added.length); at += 1)
      rows.push({ left: removed[at], right: added[at] })
    ;[removed, added] = [[], []]
  }
  for (const [index, { kind }] of lines.entries()) {
    if (kind === "del" && added.length > 0) flush()
    if (kind === "del") removed.push(index)
    else if (kind === "ins") added.push(index)
    else {
      flush()
      rows.push({ left: index, right: index })
    }
  }
  flush()
  return rows
}
