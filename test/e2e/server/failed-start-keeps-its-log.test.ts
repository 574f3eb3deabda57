import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { createProject, type ProjectDirectory } from "../cli/program.ts"
import { createBareEnvironment, writePrograms } from "../../helpers/fake-programs.ts"

// The demo's folder was removed with the log that its error message named.

/** A Temporal program whose server does not start. */
const broken = `[ "$1" = --version ] && { echo 'temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)'; exit; }
echo 'Error: disk image is malformed' >&2; exit 1`

let home: string
let project: ProjectDirectory

beforeEach(async () => {
  home = mkdtempSync(path.join(tmpdir(), "adjutant-bare-"))
  writePrograms(path.join(home, "bin"), { temporal: broken })
  const env = Object.entries({ ...createBareEnvironment(home, path.join(home, "bin")), TMPDIR: home })
  project = await createProject({}, Object.fromEntries(env.map(([name, value]) => [name, value ?? ""])))
})
afterEach(async () => {
  await project.remove()
  rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
})

it.each([
  ["demo", "--offline"],
  ["reconcile", "--dry-run"],
])("`adjutant %s %s` keeps the log that its message names", async (...argv) => {
  const { code, stderr } = await project.run(...argv)
  expect([code, stderr]).toEqual([1, expect.stringContaining("could not be started (")])
  const [, log = ""] = /: read (\S+temporal\.log),/.exec(stderr) ?? []
  expect(readFileSync(log, "utf8")).toContain("disk image is malformed")
})
