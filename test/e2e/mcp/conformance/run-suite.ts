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
}

const suite = path.join(
  path.dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json")),
  "dist/index.js",
)

const resultsFolder = /^server-(.+)-\d{4}-\d{2}-\d{2}T/

const readScenario = async (folder: string): Promise<ScenarioResult> => {
  const checks = JSON.parse(await readFile(path.join(folder, "checks.json"), "utf8")) as readonly Check[]
  const idsOf = (status: string) => checks.filter((check) => check.status === status).map(({ id }) => id)
  return { passed: idsOf("SUCCESS"), failed: [...new Set(idsOf("FAILURE"))].toSorted() }
}

/** Runs all scenarios of a revision against the server at `url`, and returns their results by name. */
export const runConformanceSuite = async (
  url: string,
  revision: Revision,
): Promise<ReadonlyMap<string, ScenarioResult>> => {
  const output = await mkdtemp(path.join(tmpdir(), "adjutant-conformance-"))
  try {
    // The exit code says whether all scored scenarios passed; the tests compare every check instead.
    await execa(process.execPath, [suite, "server", "--url", url, "--requirements", revision, "-o", output], {
      reject: false,
      stdin: "ignore",
      timeout: 500_000,
    })
    const results = new Map<string, ScenarioResult>()
    for (const name of await readdir(output)) {
      const scenario = resultsFolder.exec(name)?.[1]
      if (scenario !== undefined) results.set(scenario, await readScenario(path.join(output, name)))
    }
    return results
  } finally {
    await rm(output, { recursive: true, force: true })
  }
}
