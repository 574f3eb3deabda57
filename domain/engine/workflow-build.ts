/** A build of the workflow code. */
export interface WorkflowBuild {
  /** Hash of the bundle, as it is in the histories. */
  readonly buildId: string
  /** Version of the package that contains it. */
  readonly version: string
}

const numbersOf = (version: string): readonly number[] =>
  (version.split(/[-+]/, 1)[0] ?? "").split(".").map((part) => Number.parseInt(part, 10) || 0)

/** Compares release numbers. Versions that are not numbers, and pre-releases of one number, count as the same. */
const isNewerVersion = (version: string, than: string): boolean => {
  const before = numbersOf(than)
  for (const [index, number] of numbersOf(version).entries()) {
    const other = before[index] ?? 0
    if (number !== other) return number > other
  }
  return false
}

/**
 * Returns what a worker of build `own` can do with the workflow tasks of a store that was served by build `current` last. `execute`: it is the same.
 * `replace`: it may succeed it, once no worker of `current` is running. `too-old`: histories may contain what it cannot replay.
 */
export const compareBuild = (
  own: WorkflowBuild,
  current: WorkflowBuild | undefined,
): "execute" | "replace" | "too-old" => {
  if (current?.buildId === own.buildId) return "execute"
  return current !== undefined && isNewerVersion(current.version, own.version) ? "too-old" : "replace"
}
