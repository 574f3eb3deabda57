import { shellQuote } from "../text/shell-quote.ts"

/** Returns the command with which a person puts back what was moved away. */
export const restoringShellCommand = (movedTo: string, path: string): string =>
  `mv -f -- ${shellQuote(movedTo)} ${shellQuote(path)}`

/** A protected path, or a file with a setuid or setgid bit, that a command created or changed, although it could not be prevented beforehand. */
export interface PlantedPath {
  /** Relative to the working directory. */
  readonly path: string
  /**
   * `restored`: it was there before, and is again as it was. `cleared`: it has no setuid and setgid bit any more. `moved`: it is the working directory,
   * which was moved meanwhile.
   */
  readonly state: "removed" | "restored" | "cleared" | "left" | "moved"
  /** Where it is now; undefined if there is nothing to look at. */
  readonly movedTo?: string
  /** The command that puts it back. */
  readonly restore?: string
  /** Why it could not be moved, or restored. */
  readonly problem?: string
}

const maxNamed = 20

const plantedState = ({ path, state, problem }: PlantedPath): string => {
  const why = problem === undefined ? "" : ` (${problem})`
  switch (state) {
    case "removed":
      return `${path}: moved away${why}`
    case "restored":
      return `${path}: restored as it was before${why}`
    case "cleared":
      return `${path}: its setuid and setgid bits were removed${why}`
    case "moved":
      return `${path}: checked here${why}`
    case "left":
      return `${path}: could not be undone${why}`
  }
}

const plantedLine = (planted: PlantedPath): string =>
  planted.restore === undefined
    ? plantedState(planted)
    : `${plantedState(planted)}; to keep it, a person runs: ${planted.restore}`

/** Returns where the working directory is now, if it was moved. */
export const movedTo = (planted: readonly PlantedPath[]): string | undefined =>
  planted.findLast(({ state }) => state === "moved")?.path

/** Returns what a model is told of protected paths that its command created or changed; undefined if there are none. */
export const plantedNotice = (planted: readonly PlantedPath[] = []): string | undefined => {
  const moved = movedTo(planted)
  const undone = undoneNotice(planted.filter(({ state }) => state !== "moved"))
  const notices = [
    ...(moved === undefined
      ? []
      : [`The working directory was moved while this command ran. It was checked where it is now: ${moved}`]),
    ...undone,
  ]
  return notices.length === 0 ? undefined : notices.join("\n")
}

const undoneNotice = (planted: readonly PlantedPath[]): readonly string[] => {
  if (planted.length === 0) return []
  const lines = planted.slice(0, maxNamed).map((each) => `- ${plantedLine(each)}`)
  const more = planted.length > maxNamed ? [`- and ${planted.length - maxNamed} more`] : []
  return [
    "Commands cannot create or change protected files, since programs outside the sandbox run or obey them. What was created or changed while this command, or one in the background, ran was undone:",
    ...lines,
    ...more,
    "To change such a file, use Write or Edit: a person must approve that call.",
  ]
}
