import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import os from "node:os"
import path from "node:path"
import { describe, expect, it } from "vitest"
import { runCli } from "../../../../cli/run-cli.ts"
import type { StopReport } from "../../../../contracts/http/stop.ts"
import { openStore } from "../../../../store/open-store.ts"
import { newSession } from "../../store/store-fixture.ts"
import { stubEnvironment } from "../stub-environment.ts"
import type { StubOptions } from "../stub-environment.ts"

const run = async (argv: readonly string[], options: StubOptions = {}) => {
  const stub = stubEnvironment(options)
  return { exitCode: await runCli(argv, stub.environment), ...stub }
}

const stopped = (status: StopReport["items"][number]["status"]): StopReport => ({
  items: [
    {
      session_id: "abc123",
      root_session_id: "abc123",
      parent_session_id: null,
      title: "Count",
      agent: "general",
      previous_status: "paused",
      status,
    },
  ],
  next_cursor: null,
})

describe("adjutant stop", () => {
  it("requires --all, so that nobody stops everything by mistake", async () => {
    const { exitCode, names, written } = await run(["stop"])
    expect([exitCode, names()]).toEqual([2, expect.not.arrayContaining(["stopAll"])])
    expect(written.stderr).toContain("adjutant cancel <task id>")
  })

  it("says what it stopped", async () => {
    const client = { stopAll: async () => stopped("cancelled") }
    const { exitCode, written, argumentOf } = await run(["stop", "--all"], { client })
    expect(exitCode).toBe(0)
    expect(written.stdout).toMatch(/abc123 +general +paused +cancelled +Count/u)
    expect(argumentOf("stopAll")).toMatchObject({ via: "cli" })
    const json = await run(["stop", "--all", "--output", "json"], { client })
    expect(JSON.parse(json.written.stdout)).toEqual(stopped("cancelled"))
    expect((await run(["stop", "--all"])).written.stdout).toBe("Nothing to stop: no task is open.\n")
  })

  it("asks the person at the terminal first, unless --yes is given", async () => {
    const refused = await run(["stop", "--all"], { confirms: false })
    expect([refused.exitCode, refused.names().includes("stopAll")]).toEqual([1, false])
    const confirmed = await run(["stop", "--all"], { confirms: true })
    expect([confirmed.exitCode, confirmed.names().includes("stopAll")]).toEqual([0, true])
    const unasked = await run(["stop", "--all", "--yes"], { confirms: false })
    expect([unasked.exitCode, unasked.names().includes("confirm")]).toEqual([0, false])
  })

  it("exits with 1 while a task is still stopping", async () => {
    const client = { stopAll: async () => stopped("running") }
    const { exitCode, written } = await run(["stop", "--all"], { client })
    expect(exitCode).toBe(1)
    expect(written.stderr).toContain("still stopping")
  })
})

describe("adjutant stop --all-projects", () => {
  it("ends nothing where no service runs, and counts what is paused", async () => {
    const state = await mkdtemp(path.join(os.tmpdir(), "adjutant-stop-"))
    const [paused, broken] = ["paused", "broken"].map((name) => path.join(state, "adjutant", name))
    for (const folder of [paused, broken]) await mkdir(folder ?? "", { recursive: true, mode: 0o700 })
    await writeFile(path.join(broken ?? "", "store.db"), "no database")
    const store = await openStore({ url: "sqlite:", dataDir: paused ?? "" })
    await store.sessions.create(newSession("abc123"))
    await store.sessions.patch("abc123", { status: "paused" })
    await store.close()
    const { exitCode, written } = await run(["stop", "--all-projects"], { env: { XDG_STATE_HOME: state } })
    expect([exitCode, written.stdout]).toEqual([0, `No service runs.\n${paused}: no service, 1 paused\n`])
    await rm(state, { recursive: true })
  })

  it("is for this machine only", async () => {
    const { exitCode, written } = await run(["stop", "--all-projects", "--server", "http://127.0.0.1:1"])
    expect([exitCode, written.stderr]).toEqual([2, expect.stringContaining("omit --server")])
  })
})
