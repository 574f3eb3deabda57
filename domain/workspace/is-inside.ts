/** Returns true for `directory` itself and everything below it; both absolute and normalised. */
export const isInside = (directory: string, path: string): boolean =>
  path === directory || directory === "/" || path.startsWith(`${directory}/`)

/** Returns the directories that are inside `directory` and contain `path`, outer ones first. */
export const directoriesBetween = (directory: string, path: string): readonly string[] => {
  if (!isInside(directory, path)) return []
  const base = directory === "/" ? "" : directory
  const segments = path.slice(base.length + 1).split("/")
  return segments.slice(0, -1).map((_, index) => `${base}/${segments.slice(0, index + 1).join("/")}`)
}
