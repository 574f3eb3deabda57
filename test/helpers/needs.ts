import { describe, test } from "vitest"

/** A program that tests need and that not every machine has. */
export interface Need {
  /** As the closing lines of a test run name it: `bubblewrap`. */
  readonly name: string
  readonly isAvailable: boolean
}

const listMissing = (needs: readonly Need[]): readonly string[] =>
  needs.flatMap(({ name, isAvailable }) => (isAvailable ? [] : [name]))

/** Adds what is missing to the title, where scripts/checks/test-counts.ts reads it. */
const addMissing = (title: string, needs: readonly Need[]): string =>
  listMissing(needs).length === 0 ? title : `${title} (needs ${listMissing(needs).join(", ")})`

/** Defines a suite. If a need is not met, the suite is skipped and its title names what is missing. */
export const describeWith = (needs: readonly Need[], title: string, tests: () => void | Promise<void>): void => {
  describe.skipIf(listMissing(needs).length > 0)(addMissing(title, needs), async () => {
    await tests()
  })
}

/** Defines a test. If a need is not met, the test is skipped and its title names what is missing. */
export const testWith = (needs: readonly Need[], title: string, run: () => Promise<void>, timeoutMs?: number): void => {
  test.skipIf(listMissing(needs).length > 0)(addMissing(title, needs), run, timeoutMs)
}
