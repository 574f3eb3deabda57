import { z } from "zod"

export interface TestCounts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

const reportSchema = z.object({
  testResults: z.array(z.object({ status: z.string(), assertionResults: z.array(z.object({ status: z.string() })) })),
})

/**
 * Counts the tests of all projects in vitest's JSON report. A file that failed without a failed test of its own (it could
 * not be loaded, a hook threw) counts as one failure.
 */
export const countTests = (report: unknown): TestCounts => {
  const files = reportSchema.parse(report).testResults
  const statuses = files.flatMap((file) => {
    const tests = file.assertionResults.map(({ status }) => status)
    return file.status === "failed" && !tests.includes("failed") ? [...tests, "failed"] : tests
  })
  const count = (isCounted: (status: string) => boolean) => statuses.filter(isCounted).length
  const passed = count((status) => status === "passed")
  const failed = count((status) => status === "failed")
  return { passed, failed, skipped: statuses.length - passed - failed }
}

/** The closing line of a test run. */
export const closingLine = ({ passed, failed, skipped }: TestCounts): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`
