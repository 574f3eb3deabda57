import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import path from "node:path"
import { execa } from "execa"

/** A revision of the protocol for which the suite lists the scenarios that a server has to pass. */
export type Revision = "2025-11-25" | "2026-07-28"

interface Check {
  readonly id: string
  readonly status: string
}

/** The checks of one scenario. */
export interface ScenarioResult {
  readonly passed: readonly string[]
  readonly failed: readonly string[]
  /** Those of what the other side does not use. */
  readonly skipped: readonly string[]
}

const suite = path.join(
  path.dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json")),
  "dist/index.js",
)

const resultsFolder = /^(?:server-)?(.+)-\d{4}-\d{2}-\d{2}T[^/]*\/checks\.json$/

const readScenario = async (folder: string): Promise<ScenarioResult> => {
  const checks = JSON.parse(await readFile(path.join(folder, "checks.json"), "utf8")) as readonly Check[]
  const idsOf = (status: string) => checks.filter((check) => check.status === status).map(({ id }) => id)
  const failed = [...new Set(idsOf("FAILURE"))].toSorted()
  return { passed: idsOf("SUCCESS"), failed, skipped: idsOf("SKIPPED") }
}

/** Runs the suite with these arguments, and returns the results of its scenarios by name. */
const runSuite = async (args: readonly string[], timeout: number): Promise<ReadonlyMap<string, ScenarioResult>> => {
  const output = await mkdtemp(path.join(tmpdir(), "adjutant-conformance-"))
  try {
    // The exit code says whether all scored scenarios passed; the tests compare every check instead.
    await execa(process.execPath, [suite, ...args, "-o", output], { reject: false, stdin: "ignore", timeout })
    const results = new Map<string, ScenarioResult>()
    // The name of a scenario can contain a slash.
    for (const file of await readdir(output, { recursive: true })) {
      const scenario = resultsFolder.exec(file)?.[1]
      if (scenario !== undefined) results.set(scenario, await readScenario(path.join(output, path.dirname(file))))
    }
    return results
  } finally {
    await rm(output, { recursive: true, force: true })
  }
}

/** Runs all scenarios of a revision against the server at `url`. */
export const runConformanceSuite = (url: string, revision: Revision): Promise<ReadonlyMap<string, ScenarioResult>> =>
  runSuite(["server", "--url", url, "--requirements", revision], 500_000)

const probe = path.join(import.meta.dirname, "client-probe.ts")

/** Runs one scenario against Adjutant's client. Returns no result for a scenario that the suite does not have. */
export const runClientScenario = async (scenario: string): Promise<ScenarioResult | undefined> => {
  const command = `${process.execPath} ${probe}`
  const args = ["client", "--command", command, "--scenario", scenario, "--timeout", "90000"]
  return (await runSuite(args, 100_000)).get(scenario)
}
