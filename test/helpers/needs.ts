import { describe, test } from "vitest"

/** Something that tests need and not every machine has. */
export interface Need {
  /** As the closing lines of a test run name it: `bubblewrap`. */
  readonly name: string
  readonly isHere: boolean
}

const missing = (needs: readonly Need[]): readonly string[] =>
  needs.flatMap(({ name, isHere }) => (isHere ? [] : [name]))

/** The title says what is missing: scripts/checks/test-counts.ts reads it. */
const named = (title: string, needs: readonly Need[]): string =>
  missing(needs).length === 0 ? title : `${title} (needs ${missing(needs).join(", ")})`

/** A suite that is skipped, by the name of what is missing, where a need is not met. */
export const describeWith = (needs: readonly Need[], title: string, tests: () => void | Promise<void>): void => {
  describe.skipIf(missing(needs).length > 0)(named(title, needs), async () => {
    await tests()
  })
}

/** A test that is skipped, by the name of what is missing, where a need is not met. */
export const testWith = (needs: readonly Need[], title: string, run: () => Promise<void>, timeoutMs?: number): void => {
  test.skipIf(missing(needs).length > 0)(named(title, needs), run, timeoutMs)
}
