/** A directory that is at another place now; both paths are absolute and free of links. */
export interface MovedPath {
  readonly from: string
  readonly to: string
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)

/** Returns a text in which paths of and below moved directories are those of their new places. The first directory that contains a path counts. */
export const withMovedPaths = (text: string, moved: readonly MovedPath[]): string => {
  if (moved.length === 0 || !moved.some(({ from }) => text.includes(from))) return text
  const places = moved.map(({ from }) => escaped(from)).join("|")
  return text.replaceAll(
    new RegExp(String.raw`(?<![\w./-])(?:${places})(?![\w.-])`, "g"),
    (path) => moved.find(({ from }) => from === path)?.to ?? path,
  )
}

/** Returns a value with every text in it as `withMovedPaths` returns it. */
export const movePathsIn = (value: unknown, moved: readonly MovedPath[]): unknown => {
  if (typeof value === "string") return withMovedPaths(value, moved)
  if (Array.isArray(value)) return value.map((item) => movePathsIn(item, moved))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, movePathsIn(item, moved)]))
}
