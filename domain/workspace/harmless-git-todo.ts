/** Steps that start no program which the list names. */
const plainSteps: ReadonlySet<string> = new Set([
  ...["pick", "p", "reword", "r", "edit", "e", "squash", "s", "fixup", "f", "drop", "d", "break", "b", "noop"],
  ...["label", "l", "reset", "t", "merge", "m", "update-ref", "u", "revert"],
])

const programsIn = (text: string): readonly string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#") && !plainSteps.has(line.split(/\s/)[0] ?? ""))

/**
 * Returns whether a list of steps, as git keeps it during a rebase, starts only programs that its earlier content ended with: git removes steps from
 * the start. Without an earlier content it may start none.
 */
export const isHarmlessTodo = (before: string, after: string): boolean => {
  const [earlier, left] = [programsIn(before), programsIn(after)]
  const rest = earlier.slice(earlier.length - left.length)
  return left.length <= earlier.length && left.every((line, index) => line === rest[index])
}
