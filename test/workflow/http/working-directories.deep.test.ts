import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { createClient } from "../../../client/create-client.ts"
import { resolveRun } from "../../../sessions/settings/resolve-run.ts"
import { eventually } from "../../helpers/eventually.ts"
import type { FakeReply } from "../../helpers/models/fake-model.ts"
import { createHeldModel, type HeldModel } from "../../helpers/models/held-model.ts"
import { type HttpHarness, openHttpHarness } from "../../helpers/http/http-harness.ts"

// With a token of the scope `run`, `cwd: /etc` read files, `cwd: /proc` the worker's keys, and `cwd: ~/.ssh`
// was written to.

const tokens = {
  ADMIN: { name: "admin", scopes: ["admin"] },
  APPROVER: { name: "approver", scopes: ["read", "run", "approve"] },
  RUNNER: { name: "runner", scopes: ["read", "run"] },
} as const
type Token = keyof typeof tokens
const secretOf = (token: Token): string => `secret-of-${token}`
const actor = { by: "test", via: "cli" }

let root: string
let workspace: string
let outside: string
let harness: HttpHarness
let model: HeldModel

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "adjutant-workspaces-")))
  workspace = join(root, "workspace")
  outside = join(root, "outside")
  mkdirSync(join(workspace, "sub"), { recursive: true })
  mkdirSync(outside)
  writeFileSync(join(outside, "key.txt"), "a secret key")
  model = createHeldModel()
  const http = {
    workspaces: [workspace],
    tokens: Object.entries(tokens).map(([tokenEnv, { name, scopes }]) => ({ name, scopes: [...scopes], tokenEnv })),
  }
  harness = await openHttpHarness(
    { model: model.provider, shutdownGraceMs: 100, config: { http, agents: { general: { delegation: "none" } } } },
    { env: Object.fromEntries(Object.keys(tokens).map((name) => [name, secretOf(name as Token)])) },
  )
})
afterEach(async () => {
  await harness.close()
  rmSync(root, { recursive: true, force: true })
})

const as = (token: Token) => ({ authorization: `Bearer ${secretOf(token)}` })
const post = (token: Token, path: string, body: unknown) => harness.post(`/v1${path}`, body, as(token))
const create = (token: Token, body: Readonly<Record<string, unknown>>) => post(token, "/sessions", body)
const untilAsked = (id: string) => eventually(() => model.isWaiting(id))
const rowOf = async (id: string) => (await harness.store.sessions.get(id))!
const waitForStatus = (id: string, status: string) => eventually(async () => (await rowOf(id)).status === status)

const begin = async (token: Token, cwd: string): Promise<string> => {
  const { body } = await create(token, { cwd })
  const message = { message: "Begin.", pause_on_approval: true }
  expect((await post(token, `/sessions/${body.id}/messages`, message)).status).toBe(202)
  await untilAsked(body.id)
  return body.id
}

const resultsOf = async (id: string) =>
  (await harness.client.messages(id)).flatMap(({ message }) => (message.role === "tool" ? [message] : []))

describe("a token without admin", () => {
  it("creates sessions in the workspaces, by default in the first one", async () => {
    for (const cwd of [workspace, join(workspace, "sub"), join(workspace, "sub/..")])
      expect((await create("RUNNER", { cwd })).status).toBe(201)
    expect((await create("RUNNER", {})).body.cwd).toBe(workspace)
    const gone = await create("RUNNER", { cwd: join(workspace, "none") })
    expect([gone.status, gone.body.code]).toEqual([400, "invalid_argument"])
  })

  it("creates none elsewhere, and is told nothing about other directories", async () => {
    symlinkSync(outside, join(workspace, "link"))
    const elsewhere = [
      ...["/", "/etc", "/etc/none", "/proc", "/proc/self", "/dev/shm", "/run", "/root", root, outside],
      ...[join(outside, "none"), join(outside, "key.txt"), join(workspace, ".."), `${workspace}-2`],
      ...["link", "link/none", "link/key.txt"].map((name) => join(workspace, name)),
      ...[harness.dataDir, harness.loaded.projectRoot],
    ]
    for (const cwd of elsewhere) {
      const { status, body } = await create("APPROVER", { cwd })
      expect([status, body.code, body.error.replace(cwd, "")]).toEqual([
        403,
        "forbidden",
        "the working directory  is not inside http.workspaces: choose one inside, or use a token with the scope admin",
      ])
    }
    for (const cwd of ["~/.ssh", "sub", "../outside"]) expect((await create("RUNNER", { cwd })).status).toBe(400)
  })

  it("cannot steer a session that works elsewhere, but may read and cancel it", async () => {
    const id = await begin("ADMIN", outside)
    model.reply(id, { calls: [["Write", { file_path: "new.txt", content: "x" }]] })
    await waitForStatus(id, "paused")
    const { body: pending } = await harness.get(`/v1/sessions/${id}`, as("APPROVER"))
    const { run_id, checkpoint_id } = pending
    const decisions = { call_1_1: { action: "accept" } }
    const tries: readonly (readonly [string, unknown])[] = [
      [`/sessions/${id}/messages`, { message: "And?", type: "follow_up" }],
      [`/sessions/${id}/messages`, { message: "And?", type: "steering" }],
      [`/sessions/${id}/fork`, { at_step: 1, message: "And?" }],
      [`/sessions/${id}/fork`, { at_step: 1 }],
      [`/sessions/${id}/tools/decisions`, { run_id, checkpoint_id, decisions }],
      [
        `/sessions/${id}/tools/decisions`,
        { run_id, decisions: { call_1_1: { action: "reject", content: "Read it." } } },
      ],
      ["/approval-links", { checkpoint_id }],
      ["/sessions", { parent_session_id: id, cwd: outside }],
    ]
    for (const [path, body] of tries) {
      const answer = await post("APPROVER", path, body)
      expect([path, answer.status, answer.body.code]).toEqual([path, 403, "forbidden"])
    }
    expect((await rowOf(id)).status).toBe("paused")
    expect((await post("RUNNER", `/sessions/${id}/cancel`, {})).status).toBe(200)
    await waitForStatus(id, "cancelled")
    expect((await post("RUNNER", `/sessions/${id}/messages`, { message: "Again?" })).status).toBe(403)
    expect((await post("ADMIN", `/sessions/${id}/messages`, { message: "Again." })).status).toBe(202)
    await untilAsked(id)
  })

  it("starts and continues sessions over MCP in the workspaces only", async () => {
    const id = await begin("ADMIN", outside)
    const client = new Client({ name: "test", version: "1.0.0" })
    const requestInit = { headers: as("APPROVER") }
    await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", harness.url), { requestInit }))
    const spawned = await client.callTool({ name: "sessions_spawn", arguments: { task: "Look around." } })
    const { sessionId } = spawned.structuredContent as { readonly sessionId: string }
    expect((await rowOf(sessionId)).cwd).toBe(workspace)
    model.reply(id, { calls: [["Write", { file_path: "new.txt", content: "x" }]] })
    await waitForStatus(id, "paused")
    // A caller who names the checkpoint reaches the session, which another caller started.
    const checkpoint = (await harness.store.pauses.current(id))?.checkpointId
    for (const [name, args] of [
      ["sessions_send", { sessionKey: checkpoint, message: "And?" }],
      ["subagents", { action: "steer", target: checkpoint, message: "And?" }],
      ["resume_subagent_task", { task_id: id, checkpoint_id: checkpoint, approve_all: true }],
    ] as const) {
      const answer = await client.callTool({ name, arguments: args })
      expect([name, answer]).toMatchObject([
        name,
        { isError: true, content: [{ text: expect.stringContaining("http.workspaces") }] },
      ])
    }
    await client.close()
    expect(await harness.store.runs.list(id)).toHaveLength(1)
  })
})

describe("no caller, not even a token with admin,", () => {
  it("creates a session in the kernel's file systems or the data directory", async () => {
    symlinkSync("/proc", join(outside, "processes"))
    symlinkSync(harness.dataDir, join(outside, "data"))
    mkdirSync(join(harness.dataDir, "spill"), { recursive: true })
    const closed = [
      ...["/proc", "/proc/self", "/sys", "/dev", "/run", "/var/run", join(outside, "processes/self")],
      ...[harness.dataDir, join(harness.dataDir, "spill"), join(outside, "data/spill")],
    ]
    for (const cwd of closed) {
      const { status, body } = await create("ADMIN", { cwd })
      expect([cwd, status, body.code]).toEqual([cwd, 403, "forbidden"])
      await expect(harness.client.start({ prompt: "x", cwd })).rejects.toMatchObject({ code: "forbidden" })
    }
    for (const cwd of ["/etc", outside, harness.loaded.projectRoot])
      expect((await create("ADMIN", { cwd })).status).toBe(201)
  })

  it("can make a worker run tools there, whatever the settings of a run name", async () => {
    const { temporal, store, loaded, taskQueue } = harness
    const client = createClient({
      temporal,
      store,
      loaded,
      env: {},
      hasSearchAttributes: true,
      taskQueue,
      resolveRun: async (config, request, env) => ({ ...(await resolveRun(config, request, env)), cwd: "/proc/self" }),
    })
    const { sessionId: id } = await client.start({ prompt: "Read environ.", cwd: workspace, auto_approve: true })
    await waitForStatus(id, "failed")
    expect(await harness.client.outcome(id)).toMatchObject({
      outcome: "failed",
      stop_reason: "error",
      error: { code: "forbidden", message: expect.stringContaining("cannot be a working directory") },
    })
    expect(model.calls).toEqual([])
    // Once, with its instruction: nothing is left that would start another run.
    await eventually(async () => (await harness.handle(id).describe()).status.name !== "RUNNING")
    expect(await store.runs.list(id)).toHaveLength(1)
    expect((await harness.client.messages(id)).map(({ message }) => message)).toMatchObject([
      { role: "user", text: "Read environ." },
    ])
    // Its place is not a directory of this machine: nothing begins there again.
    await expect(client.send({ sessionId: id, text: "Again.", type: "message", actor })).rejects.toMatchObject({
      code: "invalid_argument",
      message: expect.stringContaining("/proc/self"),
    })
    expect(await store.runs.list(id)).toHaveLength(1)
    const { items } = await store.sessions.list({ limit: 10 })
    expect(items.map(({ headSeq }) => headSeq)).toEqual([1])
  })
})

describe("a directory that is replaced by a link after the session started", () => {
  const tries: readonly FakeReply[] = [
    { calls: [["Read", { file_path: "key.txt" }]] },
    { calls: [["LS", {}]] },
    { calls: [["Grep", { pattern: "secret", output_mode: "content" }]] },
    { calls: [["Glob", { pattern: "*" }]] },
  ]
  const write = [
    ["Write", { file_path: "new.txt", content: "mine" }],
    ["Bash", { command: "cat new.txt > copy.txt" }],
  ] as const

  it.each(["", "deeper"])(
    "is neither read nor written, and calls can be approved when it is back (%s)",
    async (below) => {
      const cwd = join(workspace, "sub", below)
      mkdirSync(cwd, { recursive: true })
      mkdirSync(join(outside, below), { recursive: true })
      writeFileSync(join(outside, below, "key.txt"), "a secret key")
      const id = await begin("RUNNER", cwd)
      renameSync(join(workspace, "sub"), join(workspace, "moved"))
      symlinkSync(outside, join(workspace, "sub"))
      for (const reply of tries) {
        model.reply(id, reply)
        await untilAsked(id)
      }
      const results = await resultsOf(id)
      expect(results).toHaveLength(tries.length)
      for (const { name, outcome, content } of results) {
        expect([name, outcome]).toEqual([name, "error"])
        expect(content).toContain("was replaced by a link")
        expect(content).not.toContain("secret")
      }
      model.reply(id, { calls: write })
      await waitForStatus(id, "paused")
      const accept = () =>
        harness.client.decide({ sessionId: id, all: { action: "accept" }, unlisted: "pending", actor })
      await expect(accept()).rejects.toMatchObject({
        code: "invalid_argument",
        message: expect.stringContaining("replaced by a link"),
      })
      expect((await rowOf(id)).status).toBe("paused")
      expect(readdirSync(join(outside, below)).filter((name) => name.endsWith(".txt"))).toEqual(["key.txt"])
      expect(readFileSync(join(outside, below, "key.txt"), "utf8")).toBe("a secret key")

      rmSync(join(workspace, "sub"))
      renameSync(join(workspace, "moved"), join(workspace, "sub"))
      await accept()
      await untilAsked(id)
      expect((await resultsOf(id)).slice(-2).map(({ outcome }) => outcome)).toEqual(["ok", "ok"])
      expect(readFileSync(join(cwd, "copy.txt"), "utf8")).toBe("mine")
    },
  )
})
