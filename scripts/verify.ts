// `npm test` runs every check and test; `npm run test:full` also the slow ones; `npm run test:bare` the tests whose behaviour depends on
// installed programs. The last line is `N passed, N failed`, for checks and tests.
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { programDependentTests } from "./checks/program-dependent-tests.ts"
import { listEscapeTests } from "./checks/escape-tests.ts"
import { runCommand } from "./checks/run-command.ts"
import {
  closingLine,
  countTests,
  escapeLines,
  failedLines,
  retriedLines,
  skippedLines,
  type TestCounts,
} from "./checks/test-counts.ts"
import { findNormalUser, type TestUser, thisUser } from "./checks/test-user.ts"

type Check = readonly [name: string, ...command: [string, ...string[]]]

const checks: readonly Check[] = [
  ["format", "oxfmt", "--check", "."],
  ["lint", "oxlint"],
  ["typecheck", "tsc", "-p", "."],
  ["typecheck of the page", "tsc", "-p", "web"],
  ["knip", "knip"],
]

const say = (text: string) => process.stdout.write(`${text}\n`)

/** Runs every check, even if earlier ones failed; returns the names of those that failed. */
const failedChecks = async (planned: readonly Check[]): Promise<string[]> => {
  const failed: string[] = []
  for (const [name, ...command] of planned) {
    say(`\n▸ ${name}`)
    if ((await runCommand(command)) !== 0) failed.push(name)
  }
  return failed
}

interface TestReport {
  readonly counts: TestCounts
  /** What was skipped, and what it needs. */
  readonly skipped: readonly string[]
  /** The tests that passed only when they were retried. */
  readonly retried: readonly string[]
  /** The tests that failed, with their errors. */
  readonly failures: readonly string[]
}

const readReport = async (reportFile: string, user: TestUser): Promise<TestReport> => {
  try {
    const report: unknown = JSON.parse(await readFile(reportFile, "utf8"))
    const skipped = [...escapeLines(report, user.name), ...skippedLines(report)]
    return { counts: countTests(report), skipped, retried: retriedLines(report), failures: failedLines(report) }
  } catch (error) {
    say(`no test report: ${error instanceof Error ? error.message : String(error)}`)
    return { counts: { passed: 0, failed: 0, skipped: 0 }, skipped: [], retried: [], failures: [] }
  }
}

const runTests = async (vitestArguments: readonly string[], user: TestUser = thisUser) => {
  say(user === thisUser ? "\n▸ tests" : `\n▸ sandbox tests as ${user.name}`)
  const folder = await mkdtemp(path.join(tmpdir(), "adjutant-tests-"))
  try {
    const report = path.join(folder, "report.json")
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`]
    const env = await user.prepare(folder)
    const [program = "", ...args] = [...user.prefix, "vitest", "run", ...reporters, ...vitestArguments]
    const exitCode = await runCommand([program, ...args], env)
    return { exitCode, ...(await readReport(report, user)) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Runs the attacks on sandboxes again as a normal user where root runs the other tests: some ways out exist for one of them only. */
const runAsNormalUser = async () => {
  const user = await findNormalUser()
  // Any other loader writes next to the configuration.
  const options = ["--configLoader=native", "--project", "unit", "--project", "process"]
  if ("prefix" in user) return await runTests([...options, ...listEscapeTests()], user)
  if (thisUser.name === "root") say(`\nthe sandbox tests did not run as a normal user: ${user.reason}`)
  return undefined
}

/** The steps of `npm test`, `npm run test:full` and `npm run test:bare`; further arguments are passed to vitest. */
const plan = (mode: string | undefined, others: readonly string[]) => {
  switch (mode) {
    case "--full":
      // test/helpers/effort.ts reads it.
      process.env["ADJUTANT_TEST_FULL"] = "true"
      return { checks, tests: others }
    case "--bare":
      return { checks: [], tests: [...programDependentTests(), ...others] }
    default: {
      const projects = ["unit", "process", "workflow", "e2e"].flatMap((name) => ["--project", name])
      return { checks, tests: [...projects, ...(mode === undefined ? [] : [mode]), ...others] }
    }
  }
}

const [mode, ...others] = process.argv.slice(2)
const planned = plan(mode, others)
const failed = await failedChecks(planned.checks)
const passedChecks = planned.checks.length - failed.length
const { exitCode, counts, skipped, retried, failures: failedHere } = await runTests(planned.tests)
if (exitCode !== 0 && counts.failed === 0) failed.push("tests (vitest failed)")
else if (counts.passed === 0) failed.push("tests (none ran)")
const asUser = mode === "--full" ? await runAsNormalUser() : undefined
if (asUser !== undefined && asUser.exitCode !== 0 && asUser.counts.failed === 0)
  failed.push("sandbox tests as a normal user")
const total = {
  passed: counts.passed + passedChecks + (asUser?.counts.passed ?? 0),
  failed: counts.failed + failed.length + (asUser?.counts.failed ?? 0),
  skipped: counts.skipped + (asUser?.counts.skipped ?? 0),
}

if (failed.length > 0) say(`\nfailed checks: ${failed.join(", ")}`)
if (retried.length > 0) say(`\n${retried.join("\n")}`)
const lines = [...new Set([...skipped, ...(asUser?.skipped ?? [])])]
if (lines.length > 0) say(`\n${lines.join("\n")}`)
const failures = [...failedHere, ...(asUser?.failures ?? [])]
if (failures.length > 0) say(`\n${failures.join("\n")}`)
say(`\n${closingLine(total)}`)
process.exitCode = total.failed > 0 ? 1 : 0
