const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/

/**
 * Returns the changed lines of a unified diff, without its headers, for places that show few lines. Which lines are headers follows from the sizes of
 * the hunks: a changed line can look like one.
 */
export const changeLines = (diff: string): readonly string[] => {
  const shown: string[] = []
  let removed = 0
  let added = 0
  for (const line of diff.trimEnd().split("\n")) {
    if (removed > 0 || added > 0 || line.startsWith("\\")) {
      if (!line.startsWith("+") && !line.startsWith("\\")) removed -= 1
      if (!line.startsWith("-") && !line.startsWith("\\")) added -= 1
      shown.push(line)
      continue
    }
    const sizes = hunk.exec(line)
    if (sizes !== null) {
      removed = Number(sizes[1] ?? 1)
      added = Number(sizes[2] ?? 1)
      if (shown.length > 0) shown.push("…")
    } else if (!line.startsWith("--- ") && !line.startsWith("+++ ")) shown.push(line)
  }
  return shown
}
