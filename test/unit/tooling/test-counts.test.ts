import { expect, test } from "vitest"
import { closingLine, countTests } from "../../../scripts/test-counts.ts"

const file = (status: string, ...statuses: string[]) => ({
  status,
  assertionResults: statuses.map((each) => ({ status: each })),
})

test("passed, failed and skipped tests of all files are summed", () => {
  const report = { testResults: [file("passed", "passed", "skipped", "todo"), file("failed", "passed", "failed")] }
  expect(countTests(report)).toEqual({ passed: 2, failed: 1, skipped: 2 })
})

test("a file that could not be loaded counts as one failure", () => {
  expect(countTests({ testResults: [file("failed"), file("passed", "passed")] })).toMatchObject({
    passed: 1,
    failed: 1,
  })
})

test("a file whose hook threw after its tests passed counts as one failure", () => {
  expect(countTests({ testResults: [file("failed", "passed")] })).toEqual({ passed: 1, failed: 1, skipped: 0 })
})

test("something that is not a report is refused", () => {
  expect(() => countTests({})).toThrow("testResults")
})

test("the closing line names skipped tests only when there are some", () => {
  expect(closingLine({ passed: 3, failed: 0, skipped: 0 })).toBe("3 passed, 0 failed")
  expect(closingLine({ passed: 3, failed: 1, skipped: 2 })).toBe("3 passed, 1 failed, 2 skipped")
})
