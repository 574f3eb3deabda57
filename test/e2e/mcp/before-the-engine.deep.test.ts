import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { endServicesIn } from "../../helpers/end-services.ts"
import { ensureTemporalProgram } from "../../../server/program/ensure-temporal-program.ts"
import { describeInDeepRun } from "../../helpers/effort.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createBareEnvironment, writePrograms, shareBundles } from "../../helpers/fake-programs.ts"
import { connectLineClient, type LineAnswer, type LineClient } from "../../helpers/mcp/line-client.ts"

// The MCP server answered nothing until Temporal ran: on a machine that had to build it, clients gave up long
// before.

let home: string
let cwd: string
let clients: LineClient[]

const marker = (name: string): string => path.join(home, name)
const mark = (name: string): void => writeFileSync(marker(name), "")

beforeEach(async () => {
  home = realpathSync(mkdtempSync(path.join(tmpdir(), "adjutant-bare-")))
  cwd = path.join(home, "project")
  mkdirSync(cwd)
  clients = []
  shareBundles(home)
  const { path: temporal } = await ensureTemporalProgram({ env: process.env })
  const go = [
    `[ -e '${marker("broken")}' ] && { echo 'no space left on device' >&2; exit 1; }`,
    `echo $$ > '${marker("building")}'; echo go.temporal.io/server/common >&2`,
    // Ends with the test, even if its parent was killed.
    `while [ -d '${cwd}' ] && [ ! -e '${marker("go-on")}' ]; do sleep 0.05; done`,
    `ln -s '${temporal}' "$GOBIN/temporal"`,
  ]
  writePrograms(path.join(home, "bin"), { go: go.join("\n") })
})
afterEach(async () => {
  await Promise.all(clients.map((client) => client.kill()))
  await endServicesIn(home)
  rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
})

const connect = (...flags: readonly string[]): LineClient => {
  const env = createBareEnvironment(home, path.join(home, "bin"))
  const client = connectLineClient({ cwd, env, flags })
  clients.push(client)
  return client
}

const call = (client: LineClient, name: string, progressToken?: string) =>
  client.request("tools/call", {
    name,
    arguments: name === "Task" ? { description: "d", prompt: "p", subagent_type: "explore" } : {},
    ...(progressToken === undefined ? {} : { _meta: { progressToken } }),
  })

const textOf = ({ result }: LineAnswer): string => result?.content?.[0]?.text ?? ""

describe("adjutant mcp on a machine that has no Temporal yet", () => {
  it("answers a client's first requests while the service builds it", async () => {
    const client = connect()
    expect((await client.initialize()).result?.serverInfo?.name).toBe("adjutant")
    const tools = await client.request("tools/list").answer
    expect(tools.result?.tools?.map(({ name }) => name)).toContain("wait_for_tasks")
    const resources = await client.request("resources/list").answer
    expect(resources.result?.resources?.map(({ uri }) => uri)).toEqual(["adjutant://approvals"])
    expect((await client.request("ping").answer).error).toBeUndefined()
    await eventually(() => existsSync(marker("building")))
    expect(await client.disconnect()).toBe(0)
  })

  it("lets a call wait for the build, with progress; other calls are told the progress and what to run", async () => {
    const patient = connect()
    await patient.initialize()
    const waiting = call(patient, "get_all_tasks", "first")
    const client = connect("--answer-within", "1")
    await client.initialize()
    const impatient = await call(client, "get_all_tasks").answer
    expect(impatient.result).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "ENGINE_STARTING", message: expect.stringContaining("doctor --prepare") } },
    })
    await eventually(() => existsSync(marker("building")))
    expect(textOf(await call(client, "get_all_tasks").answer)).toMatch(
      /^ENGINE_STARTING: .*building the Temporal server once/,
    )
    const task = await call(client, "Task").answer
    expect(task.result).toMatchObject({ isError: true, structuredContent: { error: { code: "INTERNAL_ERROR" } } })
    expect(task.result?.structuredContent).toHaveProperty("stats")
    const read = await client.request("resources/read", { uri: "adjutant://approvals" }).answer
    expect(read.error?.message).toContain("still being prepared")
    expect((await client.request("tools/list").answer).result?.tools?.length).toBeGreaterThan(10)
    await eventually(() =>
      patient.progress("first").some((line) => line.startsWith("building the Temporal server once")),
    )

    mark("go-on")
    expect(textOf(await waiting.answer)).toBe("No tasks.")
    expect(await patient.disconnect()).toBe(0)
    expect(textOf(await call(client, "get_all_tasks").answer)).toBe("No tasks.")
    const contents = (await client.request("resources/read", { uri: "adjutant://approvals" }).answer).result?.contents
    expect(JSON.parse(contents?.[0]?.text ?? "")).toMatchObject({ items: [] })
    expect(await client.disconnect()).toBe(0)
  })

  describeInDeepRun("after a call that failed", () => {
    it("starts again at the next call what failed before", async () => {
      mark("broken")
      mark("go-on")
      const client = connect()
      await client.initialize()
      const failed = textOf(await call(client, "get_all_tasks").answer)
      expect(failed).toMatch(/^SERVICE_UNAVAILABLE: the service did not start .*no space left on device.*service\.log/)
      rmSync(marker("broken"))
      expect(textOf(await call(client, "get_all_tasks", "again").answer)).toBe("No tasks.")
      expect(await client.disconnect()).toBe(0)
    })
  })
})
