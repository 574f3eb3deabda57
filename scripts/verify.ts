// `npm test` runs every check and the everyday tests; `npm run test:programs` the tests whose behaviour depends on installed programs;
// `npm run test:user` those of them that depend on the user as well. The last line is `N passed, N failed`.
import { programDependentTests, userDependentTests } from "./checks/program-dependent-tests.ts"
import { runCommand } from "./checks/run-command.ts"
import { type Finished, hasPassed, printSummary } from "./checks/summary.ts"
import { runTests, say } from "./checks/test-run.ts"

type Check = readonly [name: string, ...command: [string, ...string[]]]

const checks: readonly Check[] = [
  ["format", "oxfmt", "--check", "."],
  ["lint", "oxlint"],
  ["typecheck", "tsc", "-p", "."],
  ["typecheck of the page", "tsc", "-p", "web"],
  ["typecheck of the package", "tsc", "-p", "tsconfig.build.json", "--noEmit"],
  ["knip", "knip"],
]

const everyday = ["unit", "io", "process", "workflow", "e2e"].flatMap((name) => ["--project", name])

/** Runs every check, even if earlier ones failed. */
const runChecks = async (): Promise<readonly Finished[]> => {
  const finished: Finished[] = []
  for (const [name, ...command] of checks) {
    say(`\n▸ ${name}`)
    finished.push({ name, isOk: (await runCommand(command)) === 0 })
  }
  return finished
}

const test = async (name: string, vitestArguments: readonly string[]): Promise<Finished> => {
  say(`\n▸ ${name}`)
  const run = await runTests(vitestArguments)
  return { name, run, isOk: hasPassed(run) }
}

const [mode, ...others] = process.argv.slice(2)

const run = async (): Promise<readonly Finished[]> => {
  switch (mode) {
    case "--programs":
      return [await test("tests that depend on installed programs", [...programDependentTests(), ...others])]
    case "--user":
      return [await test("tests that depend on programs and on the user", [...userDependentTests(), ...others])]
    default:
      return [
        ...(await runChecks()),
        await test("tests", [...everyday, ...(mode === undefined ? [] : [mode]), ...others]),
      ]
  }
}

process.exitCode = printSummary(await run()) ? 0 : 1
