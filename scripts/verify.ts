import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { runCommand } from "./run-command.ts"
import { closingLine, countTests, type TestCounts } from "./test-counts.ts"

type Check = readonly [name: string, ...command: [string, ...string[]]]

const checks: readonly Check[] = [
  ["format", "oxfmt", "--check", "."],
  ["lint", "oxlint"],
  ["typecheck", "tsc", "-p", "."],
  ["knip", "knip"],
]

const say = (text: string) => process.stdout.write(`${text}\n`)

/** Runs every check, whatever became of the earlier ones; answers the names of those that failed. */
const failedChecks = async (): Promise<string[]> => {
  const failed: string[] = []
  for (const [name, ...command] of checks) {
    say(`\n▸ ${name}`)
    if ((await runCommand(command)) !== 0) failed.push(name)
  }
  return failed
}

const readCounts = async (reportFile: string): Promise<TestCounts> => {
  try {
    return countTests(JSON.parse(await readFile(reportFile, "utf8")))
  } catch (error) {
    say(`no test report: ${error instanceof Error ? error.message : String(error)}`)
    return { passed: 0, failed: 0, skipped: 0 }
  }
}

const runTests = async (vitestArguments: readonly string[]) => {
  say("\n▸ tests")
  const folder = await mkdtemp(path.join(tmpdir(), "adjutant-tests-"))
  try {
    const report = path.join(folder, "report.json")
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`]
    const exitCode = await runCommand(["vitest", "run", ...reporters, ...vitestArguments])
    return { exitCode, counts: await readCounts(report) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const failed = await failedChecks()
const { exitCode, counts } = await runTests(process.argv.slice(2))
if (exitCode !== 0 || counts.failed > 0) failed.push("tests")
else if (counts.passed === 0) failed.push("tests (none ran)")

if (failed.length > 0) say(`\nfailed checks: ${failed.join(", ")}`)
say(`\n${closingLine(counts)}`)
process.exitCode = failed.length > 0 ? 1 : 0
