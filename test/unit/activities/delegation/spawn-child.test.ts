import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { expect, it, vi } from "vitest"
import { AdjutantError } from "../../../../contracts/adjutant-error.ts"
import type { ConfigInput } from "../../../../contracts/config/config.ts"
import { delegationKey, type DelegationCall } from "../../../../activities/delegation/delegation-call.ts"
import { digitsOf } from "../../../../sessions/session-id.ts"
import { initRepository } from "../../../helpers/worktree-repository.ts"
import { newSession } from "../../store/store-fixture.ts"
import { openSettings } from "../../sessions/settings/settings-rig.ts"

const key = { ANTHROPIC_API_KEY: "secret-of-the-run" }
const main = { provider: "anthropic", model: "claude-sonnet-4-5", apiKeyEnv: "ANTHROPIC_API_KEY" } as const
const config: ConfigInput = { models: { main }, agents: { worker: { delegation: "sessions" } } }
const calls = [
  { tool: "sessions_spawn", args: { task: "do it", agentId: "worker" } },
  { tool: "Task", args: { description: "Look", prompt: "look", subagent_type: "general" } },
  { tool: "dynamic_subagent_task", args: { description: "Look", instructions: "look", tools: ["Read"] } },
]

it.each(calls)(
  "$tool starts a child on the run's own model if only the run's own process has the key",
  async (call) => {
    const env: Record<string, string> = { ...key }
    const rig = await openSettings(config, env)
    const parentId = await rig.start({ agent: "worker" })
    // A worker of the store's queue executes the workflow's tasks; the model is called where the run began.
    delete env["ANTHROPIC_API_KEY"]

    const outcome = await rig.agentCalls(parentId, call)

    expect(outcome).toMatchObject({ kind: "started" })
  },
)

it.each(calls)("$tool starts nothing on a worker whose own policy never allows it", async (call) => {
  const rig = await openSettings(config, key)
  const parentId = await rig.start({ agent: "worker" })
  const workerPolicy = { sandbox: "off", policy: { [call.tool]: "never" } } as const
  expect(await rig.agentCalls(parentId, { ...call, workerPolicy })).toEqual({
    kind: "answered",
    text: expect.stringContaining(`${call.tool} is refused: the configuration of the worker`),
  })
})

it.each(calls)("$tool requires a sandbox for the child on a worker that requires one", async (call) => {
  const rig = await openSettings({ ...config, security: { sandbox: "off" } }, key)
  const parentId = await rig.start({ agent: "worker" })
  const outcome = await rig.agentCalls(parentId, { ...call, workerPolicy: { sandbox: "require", policy: {} } })
  expect(outcome).toMatchObject({ kind: "started", snapshot: { sandbox: "require" } })
})

it.each(calls)("$tool is retried if the store fails while the child is written", async (call) => {
  const rig = await openSettings(config, key)
  const parentId = await rig.start({ agent: "worker" })
  const failure = new AdjutantError("storage_failed", "the disk is full")
  vi.spyOn(rig.store.runs, "create").mockRejectedValueOnce(failure)

  await expect(rig.agentCalls(parentId, call)).rejects.toMatchObject({ code: "storage_failed" })
  expect(await rig.agentCalls(parentId, call)).toMatchObject({ kind: "started" })
})

it("gives a child a longer id if another session has its id, and leaves that session as it is", async () => {
  const rig = await openSettings(config, key)
  const parentId = await rig.start({ agent: "worker" })
  const spawn = { tool: "sessions_spawn", args: { task: "do it", agentId: "worker" }, seq: 100 }
  const parent = await rig.store.sessions.get(parentId)
  const input = { sessionId: parentId, runId: parent?.runId, resultSeq: spawn.seq + 1 }
  const call = { id: "call_100", name: spawn.tool, arguments: spawn.args }
  const delegation = { input, call } as unknown as DelegationCall
  const digits = digitsOf(`${rig.store.storeId}/${delegationKey(delegation)}`)
  const taken = newSession(digits.slice(-6), { title: "another session" })
  await rig.store.sessions.create(taken)
  expect(await rig.agentCalls(parentId, spawn)).toMatchObject({ kind: "started", sessionId: digits.slice(-7) })
  expect(await rig.store.sessions.get(taken.id)).toMatchObject({ title: "another session", parentId: null })
})

it("keeps the child that an earlier version has written for the call, until that child begins", async () => {
  const rig = await openSettings(config, key)
  const parentId = await rig.start({ agent: "worker" })
  const spawn = { tool: "sessions_spawn", args: { task: "do it", agentId: "worker" }, seq: 100 }
  const parent = await rig.store.sessions.get(parentId)
  const spawnKey = `${parentId}/${parent?.runId}/${spawn.seq + 1}`
  const id = digitsOf(`${rig.store.storeId}/${spawnKey}`).slice(-6)
  const place = { parentId, rootId: parentId, depth: 1 }
  await rig.store.sessions.create(newSession(id, { ...place, internal: { tool: spawn.tool, spawnKey } }))
  const first = await rig.agentCalls(parentId, spawn)
  expect(first).toMatchObject({ kind: "started", sessionId: id })
  expect(await rig.agentCalls(parentId, spawn)).toEqual(first)
  expect((await rig.store.sessions.list({ parentId, limit: 10 })).items).toHaveLength(1)
  // What has begun may be the sub-agent of another call, which had the place before a reset.
  await rig.store.sessions.patch(id, { status: "running" })
  expect(await rig.agentCalls(parentId, spawn)).not.toMatchObject({ sessionId: id })
})

it.each([{ thread: true }, { thread: true, mode: "run" }, { thread: true, mode: "session" }])(
  "sessions_spawn with %j starts nothing in the worktree of the caller, which is removed with its run",
  async (args) => {
    const rig = await openSettings(config, key)
    const parentId = await rig.start({ agent: "worker" })
    const worktree = { path: "/data/worktrees/k/adjutant-k", source: rig.cwd, isOwn: true }
    const snapshotHash = await rig.store.snapshots.put({ ...(await rig.settingsOf(parentId)), worktree })
    await rig.store.runs.create({ runId: "in-worktree", sessionId: parentId, snapshotHash })
    await rig.store.sessions.patch(parentId, { runId: "in-worktree" })
    const policy = { attempts: 1, initialMs: 1, maxMs: 1, timeoutMs: 1 }
    const outbound = { url: "https://example.test/out", secretEnv: "T", policy, spawnSubagentSessions: true }
    const thread = { channel: "team", threadKey: "t1", idleMs: 0, maxAgeMs: 0 }
    await rig.store.bindings.bind({ sessionId: parentId, outbound, ...thread })

    const spawned = (more: object) =>
      rig.agentCalls(parentId, { tool: "sessions_spawn", args: { task: "do it", ...more } })

    expect(await spawned(args)).toEqual({
      kind: "answered",
      text: expect.stringContaining("needs a git worktree of its own here"),
    })
    expect(await spawned({})).toMatchObject({ kind: "started", snapshot: { worktree: { isOwn: false } } })
  },
)

it("names in the answer what the worktree of the child lacks", async () => {
  const rig = await openSettings(config, key)
  initRepository(rig.cwd, { "a.txt": "one\n" })
  mkdirSync(join(rig.cwd, "lib"))
  initRepository(join(rig.cwd, "lib"), { "lib.txt": "inner\n" })
  const parentId = await rig.start({ agent: "worker" })
  const answer = async (worktree: boolean) =>
    await rig.answerAgent(parentId, { tool: "sessions_spawn", args: { task: "do it", worktree } })
  expect(await answer(true)).toContain("Warning: empty in the worktree: lib/ (a repository of its own)")
  expect(await answer(false)).not.toContain("Warning")
})
