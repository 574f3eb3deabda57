const distance = (from: string, to: string): number => {
  const row = Uint16Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let line = 1; line <= from.length; line++) {
    let diagonal = line - 1
    let left = line
    for (let column = 1; column <= to.length; column++) {
      const above = row[column] ?? 0
      const substitution = diagonal + (from.charCodeAt(line - 1) === to.charCodeAt(column - 1) ? 0 : 1)
      left = Math.min(substitution, above + 1, left + 1)
      diagonal = above
      row[column] = left
    }
  }
  return row[to.length] ?? 0
}

const maxComparedLength = 100
/** The names of an MCP server's tools are among the candidates, and one answer of a model can have many unknown names. */
const maxCandidates = 1_000

/** Returns at most three candidates for a mistyped name, the closest first. Only the first thousand are compared. */
export const suggest = (name: string, candidates: Iterable<string>): readonly string[] => {
  const wanted = name.slice(0, maxComparedLength).toLowerCase()
  const limit = wanted.length < 4 ? 1 : Math.max(2, Math.floor(wanted.length / 3))
  return [...new Set(candidates)]
    .slice(0, maxCandidates)
    .map((candidate) => {
      const lower = candidate.slice(0, maxComparedLength).toLowerCase()
      const extends_ = wanted.length >= 3 && (lower.startsWith(wanted) || wanted.startsWith(lower))
      const isFar = Math.abs(wanted.length - lower.length) > limit
      return { candidate, score: extends_ ? 0.5 : isFar ? Infinity : distance(wanted, lower) }
    })
    .filter(({ candidate, score }) => candidate !== name && score <= limit)
    .toSorted((left, right) => left.score - right.score || left.candidate.localeCompare(right.candidate))
    .slice(0, 3)
    .map(({ candidate }) => candidate)
}

/** Returns ` (did you mean x or y?)`, or an empty text if no candidate is close. */
export const didYouMean = (name: string, candidates: Iterable<string>): string => {
  const near = suggest(name, candidates)
  return near.length === 0 ? "" : ` (did you mean ${near.join(" or ")}?)`
}
