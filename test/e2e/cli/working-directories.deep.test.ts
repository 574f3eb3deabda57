import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { createProject, type ProjectDirectory } from "./program.ts"
import { connectNew } from "../mcp/clients.ts"

let project: ProjectDirectory
let elsewhere: string

beforeAll(async () => {
  elsewhere = mkdtempSync(path.join(tmpdir(), "adjutant-elsewhere-"))
  project = await createProject({ main: { conversations: [{ turns: [{ reply: { text: "Done." } }] }] } })
  mkdirSync(path.join(project.cwd, ".adjutant"))
})
afterAll(async () => {
  await project.remove()
  rmSync(elsewhere, { recursive: true, force: true })
})

describe("the user of the command line", () => {
  it("works in any directory except those that are closed to all", async () => {
    expect((await project.run("run", "--cwd", elsewhere, "look")).code).toBe(0)
    for (const cwd of ["/proc", "/proc/self", "/dev", ".adjutant", project.dataDir, path.dirname(project.dataDir)]) {
      const { code, stderr, stdout } = await project.run("run", "--cwd", cwd, "look")
      expect([cwd, code, stdout]).toEqual([cwd, 2, ""])
      expect(stderr).toContain("cannot be a working directory")
    }
  })

  it("gives an MCP client any directory except those", async () => {
    for (const [cwd, isError] of [
      [elsewhere, false],
      ["/proc", true],
      [".adjutant", true],
      [project.dataDir, true],
    ] as const) {
      const client = await connectNew(project, { flags: ["--cwd", cwd] })
      try {
        const answer = await client.call("sessions_spawn", { task: "look" })
        const isRefused = answer.text.includes("cannot be a working directory")
        expect([cwd, answer.isError, isRefused]).toEqual([cwd, isError, isError])
      } finally {
        await client.close()
      }
    }
  })
})
