/** A build of the workflow code. */
export interface WorkflowBuild {
  /** Hash of the bundle, as it is in the histories. */
  readonly buildId: string
  /** Version of the package that contains it. */
  readonly version: string
  /** The changes of workflow code that it can replay, by the ids of their patches. */
  readonly patches: readonly string[]
}

/** Returns the ids of the patches in the code of a workflow bundle. */
export const patchesIn = (code: string): readonly string[] =>
  [...new Set(Array.from(code.matchAll(/\bpatched\)?\(\s*["']([\w-]{1,100})["']/g), ([, id = ""]) => id))].toSorted()

/** Returns the patches of a build that another one lacks: it cannot replay histories that contain them. */
export const lackingPatches = (own: WorkflowBuild, current: WorkflowBuild): readonly string[] =>
  current.patches.filter((id) => !own.patches.includes(id))

const numbersOf = (version: string): readonly number[] =>
  (version.split(/[-+]/, 1)[0] ?? "").split(".").map((part) => Number.parseInt(part, 10) || 0)

/** Compares release numbers. Versions that are not numbers, and pre-releases of one number, count as the same. */
export const isNewerVersion = (version: string, than: string): boolean => {
  const before = numbersOf(than)
  for (const [index, number] of numbersOf(version).entries()) {
    const other = before[index] ?? 0
    if (number !== other) return number > other
  }
  return false
}

/** Returns whether histories of a store that build `current` has served last may contain what build `own` cannot replay. */
export const isOlderBuild = (own: WorkflowBuild, current: WorkflowBuild): boolean => {
  if (current.buildId === own.buildId || isNewerVersion(own.version, current.version)) return false
  return isNewerVersion(current.version, own.version) || lackingPatches(own, current).length > 0
}
