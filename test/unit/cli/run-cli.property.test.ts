import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import fc from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import { commandTable } from "../../../cli/command-table.ts"
import { runCli } from "../../../cli/run-cli.ts"
import { stubEnvironment } from "./stub-environment.ts"

/** These wait for a signal, start processes, or run any program. Other files test them. */
const longLived = new Set([
  ...["worker", "serve", "dev", "demo", "doctor", "tree", "sandbox"],
  ...["mcp", "open", "service"],
])
const names = commandTable.map(({ name }) => name).filter((name) => !longLived.has(name))
const flags = [
  "--output",
  "json",
  "ndjson",
  "text",
  "--verbose",
  "--config",
  "--data-dir",
  "-c",
  "-t",
  "-a",
  "--approve",
  "--reject",
  "--approve-all",
  "--reject-all",
  "--reason",
  "--max-steps",
  "--timeout",
  "--budget-usd",
  "--detach",
  "--watch",
  "--limit",
  "--tools",
  "--status",
  "--cwd",
  "--help",
  "-h",
  "--version",
  "--",
  "-",
  "--no-output",
  "--output=",
  "-cX",
  "help",
]

const word = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...flags) },
  { weight: 2, arbitrary: fc.constantFrom(...names, "runn", "Info") },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
  { weight: 1, arbitrary: fc.constantFrom("0", "-1", "1e9", "NaN", "abc123", "cp_one", "__proto__", "constructor") },
)

// Some command lines write files.
const cwd = mkdtempSync(path.join(tmpdir(), "adjutant-any-"))
afterAll(() => rmSync(cwd, { recursive: true, force: true }))

describe("any command line", () => {
  it("ends with an exit code and a message, never with a crash", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.option(fc.constantFrom(...names), { nil: undefined }),
        fc.array(word, { maxLength: 8 }),
        async (command, words) => {
          const argv = [...(command === undefined ? [] : [command]), ...words].filter((text) => !longLived.has(text))
          const { environment, written, names: calls } = stubEnvironment({ cwd })
          const exitCode = await runCli(argv, environment)
          expect([0, 1, 2, 10]).toContain(exitCode)
          expect(written.stderr).not.toContain("internal error")
          // Rejected before anything was opened: a message, and no result.
          const refused = exitCode === 2 && calls().length === 0
          expect(refused && (written.stderr === "" || written.stdout !== "")).toBe(false)
        },
      ),
      { numRuns: 400 },
    )
  })
})
