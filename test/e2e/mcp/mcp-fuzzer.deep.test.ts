import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { execa } from "execa"
import { afterEach, expect, it } from "vitest"
import { z } from "zod"
import { eventually } from "../../helpers/eventually.ts"
import { describeWith } from "../../helpers/needs.ts"
import { pythonProgram } from "../../helpers/python-program.ts"
import { programEnv, type ProjectDirectory } from "../cli/program.ts"
import { createMcpProject, mcpCommand } from "./mcp-project.ts"

const fuzzer = pythonProgram("mcp-fuzzer")

const summarySchema = z.object({
  status: z.string(),
  tools: z.object({
    by_name: z.record(
      z.string(),
      z.object({
        total_runs: z.number(),
        outcomes: z.object({ crashed: z.number(), anomaly: z.number(), exceptions: z.number() }),
      }),
    ),
  }),
  protocols: z.object({ total_runs: z.number() }),
  findings: z.object({ by_category: z.record(z.string(), z.number()) }),
})

/** What it reports of valid requests: that they were answered, that two answers with other ids differ, and that lists show the titles of its tasks. */
const ofValidRequests = new Set(["accepted_malformed", "non_determinism", "injection_reflection"])

let project: ProjectDirectory
let reports: string
afterEach(async () => {
  await project.remove()
  await rm(reports, { recursive: true, force: true })
})

const fuzz = async (...target: readonly string[]) => {
  const run = await execa(
    fuzzer.program,
    [
      ...["--mode", "all", "--phase", "both", "--protocol-phase", "aggressive", "--seed", "7", "--no-corpus"],
      ...["--runs", "3", "--runs-per-type", "3", "--timeout", "60", "--tool-timeout", "300"],
      ...["--no-network", "--fs-root", path.join(reports, "files"), "--output-dir", reports, ...target],
    ],
    { cwd: project.cwd, env: programEnv(), extendEnv: false, reject: false, all: true, timeout: 560_000 },
  )
  expect(run.exitCode, run.all).toBe(0)
  return summarySchema.parse(JSON.parse(await readFile(path.join(reports, "run_summary.json"), "utf8")))
}

const expectSound = ({ status, tools, protocols, findings }: z.infer<typeof summarySchema>) => {
  expect(status).toBe("completed")
  expect(Object.keys(tools.by_name)).toContain("wait_for_tasks")
  for (const [name, { outcomes, total_runs }] of Object.entries(tools.by_name)) {
    expect(total_runs, name).toBeGreaterThan(1)
    expect([name, outcomes]).toEqual([name, { crashed: 0, anomaly: 0, exceptions: 0 }])
  }
  expect(protocols.total_runs).toBeGreaterThan(60)
  expect(Object.keys(findings.by_category).filter((category) => !ofValidRequests.has(category))).toEqual([])
}

const open = async () => {
  project = await createMcpProject()
  reports = await mkdtemp(path.join(tmpdir(), "adjutant-mcp-fuzzer-"))
}

describeWith([fuzzer], "mcp-fuzzer", () => {
  it("finds no crash and no anomaly of adjutant mcp", { timeout: 600_000 }, async () => {
    await open()
    const { command, args } = mcpCommand(project)
    expectSound(await fuzz("--protocol", "stdio", "--endpoint", [command, ...args].join(" ")))
  })

  it("finds no crash and no anomaly of POST /mcp", { timeout: 600_000 }, async () => {
    await open()
    const server = project.start("dev", "--port", "0")
    const address = /listening on (\S+)\n/
    await server.stderrHas("listening on ")
    await eventually(() => address.test(server.stderr()))
    const providers = { token: { type: "custom", headers: await project.authorization() } }
    const auth = path.join(reports, "auth.json")
    await writeFile(auth, JSON.stringify({ providers, default_provider: "token" }))
    const endpoint = `${address.exec(server.stderr())?.[1]}/mcp`
    expectSound(await fuzz("--protocol", "streamablehttp", "--endpoint", endpoint, "--auth-config", auth))
    expect(server.stderr()).not.toContain("an MCP tool failed")
  })
})
