import { closingLine } from "./test-counts.ts"
import { say, type TestRun } from "./test-run.ts"

/** A check or a run of tests, by the name that the summary prints. */
export interface Finished {
  readonly name: string
  /** Absent for a check that is no run of tests: it counts as one that passed or failed. */
  readonly run?: TestRun
  readonly isOk: boolean
}

/** Returns whether a run of tests passed: a run without any test has not. */
export const hasPassed = ({ exitCode, counts }: TestRun): boolean => exitCode === 0 && counts.passed > 0

/** A test that passed only at its second attempt is named; more than this one fail the run, since they hide races. */
const allowedRetries = 1

const sumOf = (finished: readonly Finished[], key: "passed" | "failed" | "skipped"): number =>
  finished.reduce((total, { run }) => total + (run?.counts[key] ?? 0), 0)

const printSection = (lines: readonly string[]): void => {
  if (lines.length > 0) say(`\n${lines.join("\n")}`)
}

/** Prints what failed, what was retried and what was skipped; the last line is `N passed, N failed`. Returns whether everything passed. */
export const printSummary = (finished: readonly Finished[]): boolean => {
  const retried = finished.flatMap(({ run }) => run?.retried ?? [])
  const failedChecks = finished
    // A failed test counts itself.
    .filter(({ isOk, run }) => !isOk && (run?.counts.failed ?? 0) === 0)
    .map(({ name, run }) => (run?.counts.passed === 0 ? `${name} (no test ran)` : name))
  if (retried.length > allowedRetries) failedChecks.push(`${retried.length} tests passed only at the second attempt`)
  printSection(failedChecks.length === 0 ? [] : [`failed checks: ${failedChecks.join(", ")}`])
  printSection(retried)
  printSection([...new Set(finished.flatMap(({ run }) => run?.skipped ?? []))])
  printSection(finished.flatMap(({ run }) => run?.failures ?? []))
  const failed = sumOf(finished, "failed") + failedChecks.length
  const passed = sumOf(finished, "passed") + finished.filter(({ run, isOk }) => run === undefined && isOk).length
  say(`\n${closingLine({ passed, failed, skipped: sumOf(finished, "skipped") })}`)
  return failed === 0
}
