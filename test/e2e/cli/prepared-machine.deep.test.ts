import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { ensureTemporalProgram } from "../../../server/program/ensure-temporal-program.ts"
import { programCache } from "../../../server/program/program-cache.ts"
import { createProject, type Ended, type ProjectDirectory } from "./program.ts"
import { createBareEnvironment, writePrograms, shareBundles } from "../../helpers/fake-programs.ts"

// Images and CI had no way to do the work of the first start ahead of time.

let home: string
let project: ProjectDirectory
let env: NodeJS.ProcessEnv

beforeEach(async () => {
  home = mkdtempSync(path.join(tmpdir(), "adjutant-bare-"))
  env = createBareEnvironment(home, path.join(home, "bin"))
  project = await createProject({}, Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value ?? ""])))
})
afterEach(async () => {
  await project.remove()
  rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
})

const findingOf = ({ stdout }: Ended, name: string) =>
  JSON.parse(stdout).items.find((item: { readonly name: string }) => item.name === name)

describe("adjutant doctor --prepare", () => {
  it("installs the Temporal program and the workflow bundle with progress, and starts nothing", async () => {
    const { path: temporal } = await ensureTemporalProgram({ env: process.env })
    writePrograms(path.join(home, "bin"), { go: `ln -s '${temporal}' "$GOBIN/temporal"` })
    const ended = await project.run("doctor", "--prepare", "--output", "json")
    expect([ended.code, ended.stderr]).toEqual([0, expect.stringContaining("building the Temporal server once")])
    expect(findingOf(ended, "prepare temporal")).toMatchObject({
      status: "ok",
      detail: expect.stringMatching(/^built, /),
    })
    expect(findingOf(ended, "prepare workflows")).toMatchObject({ status: "ok", detail: "bundled" })
    expect(findingOf(ended, "temporal").detail).toContain("(cache)")
    expect(existsSync(programCache(env)!.program)).toBe(true)
    expect(readdirSync(project.dataDir).toSorted()).toEqual([".gitignore", "project.json"])

    rmSync(path.join(home, "bin"), { recursive: true })
    const again = await project.run("doctor", "--prepare", "--output", "json")
    expect([again.code, findingOf(again, "prepare workflows").detail]).toEqual([0, "in the cache"])
    expect(again.stderr).toBe("")
  })

  it("reports what is missing, and exits with code 1", async () => {
    shareBundles(home)
    const ended = await project.run("doctor", "--prepare", "--output", "json")
    expect(ended.code).toBe(1)
    expect(findingOf(ended, "prepare temporal")).toMatchObject({
      status: "fail",
      detail: expect.stringContaining("no `go` on PATH"),
    })
  })

  it("stops the build on a signal", async () => {
    writePrograms(path.join(home, "bin"), { go: "echo $$ >&2; sleep 600" })
    const started = project.start("doctor", "--prepare")
    await started.stderrHas("building the Temporal server once")
    started.child.kill("SIGINT")
    expect((await started.ended).code).toBe(130)
    const { directory } = programCache(env)!
    expect(readdirSync(directory).filter((name) => name.startsWith("temporal"))).toEqual([])
  })
})
