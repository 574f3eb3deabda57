import type { ImportEdge } from "./import-graph.ts"

/** Returns the files that can be reached from a file over one or more imports. */
const reachFrom = (start: string, next: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> => {
  const reached = new Set<string>()
  const open = [...(next.get(start) ?? [])]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (reached.has(file)) continue
    reached.add(file)
    open.push(...(next.get(file) ?? []))
  }
  return reached
}

/**
 * Returns the groups of files that import each other directly or indirectly, including by `import type`, largest first. A file that imports itself is a
 * group of one.
 */
export const importCircles = (edges: readonly ImportEdge[]): readonly (readonly string[])[] => {
  const edgesFrom = Map.groupBy(edges, ({ from }) => from)
  const next = new Map([...edgesFrom].map(([from, group]) => [from, group.map(({ to }) => to)]))
  const reach = new Map([...next.keys()].map((file) => [file, reachFrom(file, next)]))
  const reaches = (from: string, to: string): boolean => reach.get(from)?.has(to) ?? false
  const inCircle = [...next.keys()].filter((file) => reaches(file, file))
  const groups = Map.groupBy(inCircle, (file) => inCircle.find((other) => reaches(other, file) && reaches(file, other)))
  return [...groups.values()].toSorted((left, right) => right.length - left.length)
}
