/** A protected path that a command created or changed, although it could not be prevented beforehand. */
export interface PlantedPath {
  /** Relative to the working directory. */
  readonly path: string
  /** `restored`: it was there before, and is again as it was. */
  readonly state: "removed" | "restored" | "left"
  /** Where it is now; undefined if there is nothing to look at. */
  readonly movedTo?: string
  /** Why it could not be moved. */
  readonly problem?: string
}

const maxNamed = 20

const lineOf = ({ path, state, problem }: PlantedPath): string => {
  const why = problem === undefined ? "" : ` (${problem})`
  switch (state) {
    case "removed":
      return `${path}: moved away${why}`
    case "restored":
      return `${path}: restored as it was before`
    case "left":
      return `${path}: could not be moved away${why}`
  }
}

/** Returns what a model is told of protected paths that its command created or changed; undefined if there are none. */
export const plantedNotice = (planted: readonly PlantedPath[] = []): string | undefined => {
  if (planted.length === 0) return undefined
  const lines = planted.slice(0, maxNamed).map((each) => `- ${lineOf(each)}`)
  const more = planted.length > maxNamed ? [`- and ${planted.length - maxNamed} more`] : []
  return [
    "Commands cannot create or change protected files, since programs outside the sandbox run or obey them. What this command, or one in the background, created was undone:",
    ...lines,
    ...more,
    "To change such a file, use Write or Edit: a person must approve that call.",
  ].join("\n")
}
