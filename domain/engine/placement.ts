/** The place of sessions that came with a data directory from another place, until a person resumes them: no worker has it. */
export const movedMachine = "moved-not-resumed"

/** What decides where the calls of a session run. */
export interface PlacementFacts {
  /** The machine that has the session's working directory, as far as that is known. */
  readonly machine: string | null
  /** The identity of that directory; null where the file system does not tell. */
  readonly directory: string | null
  /** The machine that asks. */
  readonly here: string
  /** The identity of the directory with the same path on it; undefined where it has none. */
  readonly found: string | null | undefined
  /** The machines that have, or had, a worker; `isRecent`: within a week. */
  readonly machines: readonly { readonly name: string; readonly isRecent: boolean }[]
}

/**
 * `here`: on this machine. `adopt`: here as well, and from now on always, because no machine with workers has it yet. `elsewhere`: on one of these
 * machines; `isKnown`: it is the session's own machine.
 */
export type Placement =
  | { readonly kind: "here" }
  | { readonly kind: "adopt"; readonly directory: string | null }
  | { readonly kind: "elsewhere"; readonly machines: readonly string[]; readonly isKnown: boolean }

/**
 * Decides where a session's calls run: on its own machine, or on any machine that shares its working directory. A session whose machine never had a
 * worker, such as one that only serves HTTP, belongs to the first machine that has a directory with that path. If none does, its tools report that.
 */
export const placementOf = ({ machine, directory, here, found, machines }: PlacementFacts): Placement => {
  if (machine === movedMachine) return { kind: "elsewhere", machines: [movedMachine], isKnown: true }
  if (machine === here || (directory !== null && found === directory)) return { kind: "here" }
  if (machine !== null && machines.some(({ name }) => name === machine))
    return { kind: "elsewhere", machines: [machine], isKnown: true }
  if (found !== undefined) return { kind: "adopt", directory: found }
  const others = machines.flatMap(({ name, isRecent }) => (isRecent && name !== here ? [name] : []))
  return others.length === 0 ? { kind: "here" } : { kind: "elsewhere", machines: others, isKnown: false }
}
