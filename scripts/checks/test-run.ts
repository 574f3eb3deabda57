import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { runInMemory } from "./memory-folder.ts"
import { countTests, escapeLines, failedLines, retriedLines, skippedLines, type TestCounts } from "./test-counts.ts"

/** What one vitest process reported. */
export interface TestRun {
  readonly exitCode: number
  readonly counts: TestCounts
  /** What was skipped, and what it needs. */
  readonly skipped: readonly string[]
  /** The tests that passed only when they were retried. */
  readonly retried: readonly string[]
  /** The tests that failed, with their errors. */
  readonly failures: readonly string[]
}

export const say = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

const user = process.getuid?.() === 0 ? "root" : "a normal user"

const readReport = async (reportFile: string): Promise<Omit<TestRun, "exitCode">> => {
  try {
    const report: unknown = JSON.parse(await readFile(reportFile, "utf8"))
    const skipped = [...escapeLines(report, user), ...skippedLines(report)]
    return { counts: countTests(report), skipped, retried: retriedLines(report), failures: failedLines(report) }
  } catch (error) {
    say(`no test report: ${error instanceof Error ? error.message : String(error)}`)
    return { counts: { passed: 0, failed: 0, skipped: 0 }, skipped: [], retried: [], failures: [] }
  }
}

/** Runs vitest with these arguments; its output goes to this process's streams. */
export const runTests = async (vitestArguments: readonly string[]): Promise<TestRun> => {
  const folder = await mkdtemp(path.join(tmpdir(), "adjutant-tests-"))
  try {
    const report = path.join(folder, "report.json")
    const reporters = [
      "--reporter=default",
      "--reporter=./scripts/times/time-reporter.ts",
      "--reporter=./scripts/times/hang-guard.ts",
      "--reporter=json",
      `--outputFile.json=${report}`,
    ]
    const exitCode = await runInMemory(["vitest", "run", ...reporters, ...vitestArguments])
    return { exitCode, ...(await readReport(report)) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
