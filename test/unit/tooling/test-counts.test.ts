import { describe, expect, it, test } from "vitest"
import {
  closingLine,
  countTests,
  escapeLines,
  failedLines,
  retriedLines,
  skippedLines,
} from "../../../scripts/checks/test-counts.ts"

const file = (status: string, ...statuses: string[]) => ({
  status,
  assertionResults: statuses.map((each) => ({ status: each })),
})

test("countTests adds up passed, failed and skipped tests of all files", () => {
  const report = { testResults: [file("passed", "passed", "skipped", "todo"), file("failed", "passed", "failed")] }
  expect(countTests(report)).toEqual({ passed: 2, failed: 1, skipped: 2 })
})

test("countTests counts a file that could not be loaded as one failure", () => {
  expect(countTests({ testResults: [file("failed"), file("passed", "passed")] })).toMatchObject({
    passed: 1,
    failed: 1,
  })
})

test("countTests counts a file whose hook threw after its tests passed as one failure", () => {
  expect(countTests({ testResults: [file("failed", "passed")] })).toEqual({ passed: 1, failed: 1, skipped: 0 })
})

test("countTests rejects a value that is not a report", () => {
  expect(() => countTests({})).toThrow("testResults")
})

test("the closing line names skipped tests only when there are some", () => {
  expect(closingLine({ passed: 3, failed: 0, skipped: 0 })).toBe("3 passed, 0 failed")
  expect(closingLine({ passed: 3, failed: 1, skipped: 2 })).toBe("3 passed, 1 failed, 2 skipped")
})

describe("the lines for skipped tests", () => {
  const result = (status: string, ...titles: string[]) => ({
    status,
    ancestorTitles: titles.slice(0, -1),
    title: titles.at(-1),
  })

  it("name what is missing, how many tests need it, and their files", () => {
    const testResults = [
      {
        name: "/x/test/e2e/page.test.ts",
        status: "passed",
        assertionResults: [result("skipped", "a page (needs Chromium)", "shows")],
      },
      {
        name: "/x/test/unit/a.test.ts",
        status: "passed",
        assertionResults: [
          result("passed", "a suite", "passes"),
          result("skipped", "a suite", "runs (needs bubblewrap, socat)"),
          result("skipped", "a suite (needs bubblewrap, socat)", "runs (twice)"),
        ],
      },
    ]
    expect(skippedLines({ testResults })).toEqual([
      "skipped 2, which need bubblewrap, socat: test/unit/a.test.ts",
      "skipped 1, which need Chromium: test/e2e/page.test.ts",
    ])
  })

  it("include a skipped test without a reason", () => {
    const testResults = [{ name: "test/a.test.ts", status: "passed", assertionResults: [result("todo", "later")] }]
    expect(skippedLines({ testResults })).toEqual([
      "skipped 1, which need something that the title does not name: test/a.test.ts",
    ])
  })

  it("are empty if no test was skipped", () => {
    expect(
      skippedLines({ testResults: [{ name: "a", status: "passed", assertionResults: [result("passed", "x")] }] }),
    ).toEqual([])
  })
})

describe("the lines for retried tests", () => {
  const result = (status: string, failureMessages: readonly string[] | null, ...titles: string[]) => ({
    status,
    failureMessages,
    ancestorTitles: ["", ...titles.slice(0, -1)],
    title: titles.at(-1),
  })

  it("name the file and the title of each test that failed before it passed, and no other test", () => {
    const testResults = [
      {
        name: "/x/test/e2e/page.test.ts",
        status: "passed",
        assertionResults: [
          result("passed", ["Error: timed out"], "the page", "shows a session"),
          result("passed", [], "the page", "shows a run"),
          result("passed", null, "shows an event"),
        ],
      },
      {
        name: "/x/test/workflow/a.test.ts",
        status: "failed",
        assertionResults: [result("failed", ["Error", "Error"], "fails twice"), result("skipped", [], "is skipped")],
      },
    ]
    expect(retriedLines({ testResults })).toEqual([
      "passed at the second attempt: test/e2e/page.test.ts > the page > shows a session",
    ])
  })

  it("are empty if the report has no messages", () => {
    expect(retriedLines({ testResults: [file("passed", "passed", "skipped")] })).toEqual([])
  })
})

test("the lines for failed tests name their file, title and last error, and files that failed as a whole", () => {
  const testResults = [
    {
      name: "/x/test/unit/a.test.ts",
      status: "failed",
      assertionResults: [
        { status: "passed", title: "passes", failureMessages: ["Error: once"] },
        {
          status: "failed",
          ancestorTitles: ["", "a suite"],
          title: "fails",
          failureMessages: ["Error: first", "AssertionError: expected 1 to be 2\n    at a.test.ts:1"],
        },
      ],
    },
    { name: "/x/test/unit/b.test.ts", status: "failed", message: "SyntaxError: no\nmore", assertionResults: [] },
  ]
  expect(failedLines({ testResults })).toEqual([
    "failed test: test/unit/a.test.ts > a suite > fails: AssertionError: expected 1 to be 2",
    "failed test: test/unit/b.test.ts: SyntaxError: no",
  ])
  expect(failedLines({ testResults: [file("passed", "passed")] })).toEqual([])
})

test("the escapes from sandboxes that were tried and held are counted, apart from those that were skipped", () => {
  const attacked = (name: string, ...statuses: readonly string[]) => ({ ...file("passed", ...statuses), name })
  const folder = "/x/test/unit/tools/sandbox"
  const testResults = [
    attacked(`${folder}/escapes.process.test.ts`, "passed", "passed", "skipped"),
    attacked(`${folder}/protected-paths.process.test.ts`, "passed", "failed"),
    attacked(`${folder}/bubblewrap/bubblewrap.test.ts`, "passed"),
    attacked("/x/test/unit/cli/escapes.test.ts", "passed"),
  ]
  expect(escapeLines({ testResults }, "root")).toEqual(["sandbox escapes as root: 5 tried, 4 held"])
  expect(escapeLines({ testResults: testResults.slice(3) }, "root")).toEqual([])
})
