import { existsSync } from "node:fs"
import { mkdtemp, readdir, realpath, rm } from "node:fs/promises"
import os from "node:os"
import path from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { openSessionHost } from "../../../../cli/host/open-session-host.ts"
import { runCli } from "../../../../cli/run-cli.ts"
import { openStoreHost } from "../../../../cli/host/open-store-host.ts"
import { defaultDataDir } from "../../../../config/data-dir/state-folder.ts"
import { openStore } from "../../../../store/open-store.ts"
import { messageRow, newSession } from "../../store/store-fixture.ts"
import { stubEnvironment } from "../stub-environment.ts"

let cwd: string
let dataDir: string
beforeEach(async () => {
  cwd = await realpath(await mkdtemp(path.join(os.tmpdir(), "adjutant-reading-")))
  dataDir = await defaultDataDir(cwd, { HOME: cwd })
})
afterEach(() => rm(cwd, { recursive: true, force: true }))

const secret = "first line of a key\nlast line of it"

/** Nothing listens there: a command that asks for Temporal fails. */
const env = {
  PATH: "",
  ADJUTANT_TRUST: "1",
  TEMPORAL_ADDRESS: "127.0.0.1:1",
  TEMPORAL_UI_URL: "http://ui.example",
  OPENAI_API_KEY: secret,
}

const runWith = async (argv: readonly string[], { isTTY }: { readonly isTTY: boolean }) => {
  const { environment, written } = stubEnvironment({ cwd, env: { ...env, HOME: cwd } })
  const io = { ...environment.io, stdout: { ...environment.io.stdout, isTTY } }
  const code = await runCli(argv, { ...environment, io, openHost: openSessionHost, openStore: openStoreHost })
  return { code, ...written }
}
const run = (...argv: readonly string[]) => runWith(argv, { isTTY: false })
const runAtTerminal = (...argv: readonly string[]) => runWith(argv, { isTTY: true })

const createTask = async (patch = Buffer.from("+first line\n+last line\n")): Promise<void> => {
  const store = await openStore({ url: "sqlite:", dataDir })
  await store.sessions.create(newSession("abc123", { label: "notes", title: "Write the notes" }))
  await store.runs.create({ runId: "r1", sessionId: "abc123", snapshotHash: "none" })
  await store.messages.putAll("abc123", [messageRow(1, "hello")])
  await store.sessions.patch("abc123", { headSeq: 1 })
  await store.audit.record({ sessionId: "abc123", runId: null, action: "cancel", by: "mia", via: "cli", detail: {} })
  await store.worktrees.open({ sessionId: "abc123", machine: "m1", path: "/worktrees/abc123", source: cwd })
  const details = { files: [], diff: "+first line\n", is_cut: true, left_out: [], problem: null }
  await store.worktrees.end("abc123", { status: "changed", tree: "4b825d", patch, details })
  await store.close()
}

describe("a command that only reads the store", () => {
  it.each([
    [["list"], "Write the notes"],
    [["list", "--output", "json"], "http://ui.example/namespaces/default/workflows/subagent%2Fabc123"],
    [["log", "notes"], "hello"],
    [["export", "abc123"], "hello"],
    [["audit", "abc123"], "mia"],
    [["grants", "abc123"], "No grants."],
    [["diff", "abc123"], "+last line"],
    [["approvals"], "Nothing is waiting for a person."],
    [["deliveries"], "No deliveries."],
    [["agents"], "general"],
  ] as const)("%j needs no Temporal", async (argv, shown) => {
    await createTask()
    const { code, stdout, stderr } = await run(...argv)
    expect(stderr).toBe("")
    expect(stdout).toContain(shown)
    expect(code).toBe(0)
    expect((await readdir(dataDir)).toSorted()).toEqual([".gitignore", "store.db"])
  })

  it.each([
    [["session", "idle", "abc123"], "is not bound to a thread"],
    [["replay", "abc123"], "has no model call"],
  ] as const)("%j needs no Temporal to be refused", async (argv, problem) => {
    await createTask()
    const { code, stderr } = await run(...argv)
    expect(stderr).toContain(problem)
    expect(code).toBe(2)
  })

  it("refuses to write a diff with bytes that are no text into a pipe, where git would apply others", async () => {
    await createTask(Buffer.from("+caf\u00e9\n", "latin1"))
    const { code, stdout, stderr } = await run("diff", "abc123")
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain("contains bytes that are no text")
    const json = await run("diff", "abc123", "--output", "json")
    expect(JSON.parse(json.stdout)).toMatchObject({ encoding: "base64", patch: "K2NhZukK" })
  })

  it("refuses to write a diff without its secrets into a pipe, where git would apply it", async () => {
    await createTask(Buffer.from(`+${secret.replace("\n", "\n+")}\n`))
    const { code, stdout, stderr } = await run("diff", "abc123")
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" })
    expect(stderr).toContain("secrets were removed from the diff of abc123")
    const json = await run("diff", "abc123", "--output", "json")
    expect(JSON.parse(json.stdout)).toMatchObject({ is_redacted: true, patch: "+[redacted]\n+[redacted]\n" })
    const shown = await runAtTerminal("diff", "abc123")
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining("+[redacted]") })
    expect(shown.stderr).toContain("so that it is no patch")
  })

  it.each(["log", "diff", "export", "grants", "replay"])(
    "%s refuses a missing store, and creates none",
    async (command) => {
      const { code, stderr } = await run(command, "abc123")
      expect(stderr).toBe(
        `adjutant: there is no session store ${path.join(dataDir, "store.db")}, and therefore no task: check --data-dir and store.url\n`,
      )
      expect(code).toBe(2)
      expect(existsSync(dataDir)).toBe(false)
    },
  )

  it.each([
    ["list", "No tasks."],
    ["approvals", "Nothing is waiting for a person."],
    ["deliveries", "No deliveries."],
    ["audit", "No entries."],
    ["agents", "general"],
  ])("%s shows an empty list where no task was started, and leaves nothing behind", async (command, shown) => {
    const { code, stdout, stderr } = await run(command)
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(stdout).toContain(shown)
    expect(await readdir(cwd)).toEqual([])
  })

  it("leaves no data directory behind that was named and is missing", async () => {
    expect((await run("list", "--data-dir", "elsewhere")).code).toBe(0)
    expect(await readdir(cwd)).toEqual([])
  })
})

describe("a command that asks Temporal", () => {
  it("session idle connects to it", async () => {
    await createTask()
    const { code, stderr } = await run("session", "idle", "abc123", "1h")
    expect(stderr).toContain("127.0.0.1:1")
    expect(code).not.toBe(0)
  })
})
