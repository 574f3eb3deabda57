const distance = (from: string, to: string): number => {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const substitution = (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1)
      current.push(Math.min(substitution, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    previous = current
  }
  return previous[to.length] ?? 0
}

const maxComparedLength = 100

/** Returns at most three candidates for a mistyped name, the closest first. */
export const suggest = (name: string, candidates: Iterable<string>): readonly string[] => {
  const wanted = name.slice(0, maxComparedLength).toLowerCase()
  const limit = wanted.length < 4 ? 1 : Math.max(2, Math.floor(wanted.length / 3))
  return [...new Set(candidates)]
    .map((candidate) => {
      const lower = candidate.slice(0, maxComparedLength).toLowerCase()
      const extends_ = wanted.length >= 3 && (lower.startsWith(wanted) || wanted.startsWith(lower))
      return { candidate, score: extends_ ? 0.5 : distance(wanted, lower) }
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
