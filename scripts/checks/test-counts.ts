import { z } from "zod"

export interface TestCounts {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

const testSchema = z.object({
  status: z.string(),
  ancestorTitles: z.array(z.string()).default([]),
  title: z.string().default(""),
  failureMessages: z.array(z.string()).nullish(),
})
const reportSchema = z.object({
  testResults: z.array(
    z.object({
      name: z.string().default(""),
      status: z.string(),
      message: z.string().default(""),
      assertionResults: z.array(testSchema),
    }),
  ),
})

type TestResult = z.output<typeof testSchema>

/**
 * Counts the tests of all projects in vitest's JSON report. A file that failed without a failed test (it could not be loaded, a hook threw) counts as one
 * failure.
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

const pathInRepository = (file: string): string => file.replace(/^.*\/(?=test\/)/, "")

const fullTitle = (file: string, { ancestorTitles, title }: TestResult): string =>
  [pathInRepository(file), ...ancestorTitles.filter((each) => each !== ""), title].join(" > ")

/** The first line of an error, cut: stacks and differences stand where the test ran. */
const reasonOf = (message: string): string => {
  const [line = ""] = message.split("\n", 1)
  return line.length > 300 ? `${line.slice(0, 300)} …` : line
}

/**
 * Returns one line for each failed test, with the first line of its last error, and one for each file that failed without a failed test. A
 * long output of CI is shown cut, often without the place where a test failed.
 */
export const failedLines = (report: unknown): readonly string[] =>
  reportSchema.parse(report).testResults.flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === "failed")
    if (status === "failed" && failed.length === 0)
      return [`failed test: ${pathInRepository(name)}: ${reasonOf(message)}`]
    return failed.map(
      (test) => `failed test: ${fullTitle(name, test)}: ${reasonOf((test.failureMessages ?? []).at(-1) ?? "")}`,
    )
  })

/**
 * Returns one line for each test that failed and then passed when vitest retried it. The report has no count of attempts, but keeps the
 * errors of the attempts that failed.
 */
export const retriedLines = (report: unknown): readonly string[] =>
  reportSchema
    .parse(report)
    .testResults.flatMap(({ name, assertionResults }) =>
      assertionResults
        .filter(({ status, failureMessages }) => status === "passed" && (failureMessages ?? []).length > 0)
        .map((test) => fullTitle(name, test)),
    )
    .map((test) => `passed at the second attempt: ${test}`)

/** Returns what a skipped test needs, from the titles that test/helpers/needs.ts writes. */
const needOf = ({ ancestorTitles, title }: TestResult): string =>
  [...ancestorTitles, title].map((each) => / \(needs ([^()]+)\)$/.exec(each)?.[1]).find((need) => need !== undefined) ??
  "something that the title does not name"

/** Returns one line for each missing program: how many tests were skipped without it, and in which files. */
export const skippedLines = (report: unknown): readonly string[] => {
  const skipped = reportSchema
    .parse(report)
    .testResults.flatMap(({ name, assertionResults }) =>
      assertionResults
        .filter(({ status }) => status !== "passed" && status !== "failed")
        .map((test) => ({ file: pathInRepository(name), need: needOf(test) })),
    )
  return [...Map.groupBy(skipped, ({ need }) => need)]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([need, tests]) => {
      const files = [...new Set(tests.map(({ file }) => file))].toSorted()
      return `skipped ${tests.length}, which need ${need}: ${files.join(", ")}`
    })
}

/** The tests that attack sandboxes and the protection of files, each of them by one kind of escape. */
export const escapeTests =
  /test\/unit\/tools\/sandbox\/(?:[\w-]+\/)?(?:escapes|survival|protected-paths|resource-limits|bubblewrap)(?:\.process)?\.test\.ts$/

/** Returns one line with the number of escapes from sandboxes that were tried and held, as the user who ran the tests; none if none was tried. */
export const escapeLines = (report: unknown, user: string): readonly string[] => {
  const statuses = reportSchema
    .parse(report)
    .testResults.filter(({ name }) => escapeTests.test(name))
    .flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status))
  const held = statuses.filter((status) => status === "passed").length
  const tried = held + statuses.filter((status) => status === "failed").length
  return tried === 0 ? [] : [`sandbox escapes as ${user}: ${tried} tried, ${held} held`]
}

/** Returns the closing line of a test run. */
export const closingLine = ({ passed, failed, skipped }: TestCounts): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`
