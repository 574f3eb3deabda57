import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { createClient } from "../../../../client/create-client.ts"
import type { SpawnCall, SpawnOutcome, SpawnRequest } from "../../../../sessions/spawn/spawn-request.ts"
import { modelSpecs } from "../../../../config/models/model-specs.ts"
import { type ConfigInput, configSchema } from "../../../../contracts/config/config.ts"
import { dynamicSubagentTaskInputSchema } from "../../../../contracts/delegation/tasks-input.ts"
import { sessionsSpawnInputSchema } from "../../../../contracts/delegation/sessions-input.ts"
import { explorePrompt } from "../../../../domain/prompts/explore.ts"
import { openStore } from "../../../../store/open-store.ts"
import { actor } from "../../client/client-fixture.ts"
import { createStoreIn } from "../../../helpers/store/store-under-test.ts"
import { FakeTemporal } from "../../client/fake-temporal.ts"

const keys = { ANTHROPIC_API_KEY: "sk-secret-value" }

const open = async (config: ConfigInput = {}) => {
  const cwd = await realpath(await mkdtemp(join(tmpdir(), "adjutant-spawn-")))
  await writeFile(join(cwd, "AGENTS.md"), "Always use tabs.\n")
  const parsed = configSchema.parse(config)
  const store = await openStore({ ...(await createStoreIn(join(cwd, ".adjutant"))), pollIntervalMs: 5 })
  onTestFinished(async () => {
    await store.close()
    await rm(cwd, { recursive: true, force: true })
  })
  const temporal = new FakeTemporal()
  const loaded = {
    config: parsed,
    configPath: null,
    projectRoot: cwd,
    dataDir: join(cwd, ".adjutant"),
    ...modelSpecs({ config: parsed, env: keys, projectRoot: cwd }),
  }
  const client = createClient({ temporal, store, loaded, env: keys, hasSearchAttributes: false, taskQueue: "q" })
  const spawn = (call: SpawnCall, more: Partial<SpawnRequest> = {}): Promise<SpawnOutcome> =>
    client.spawn({ call, caller: "test", cwd, actor, ...more })
  const snapshotOf = async (outcome: SpawnOutcome) => {
    if (outcome.kind === "refused") throw new Error(outcome.refusal.error)
    const run = await store.runs.get(outcome.child.runId)
    const snapshot = await store.snapshots.get(run?.snapshotHash ?? "")
    if (snapshot === undefined) throw new Error("no snapshot")
    return snapshot
  }
  return { client, store, temporal, spawn, snapshotOf, cwd }
}

const task = (model?: "main" | "light"): SpawnCall => ({
  tool: "Task",
  input: { description: "Look around", prompt: "find it", subagent_type: "explore", ...(model ? { model } : {}) },
})
const dynamic = (input: object = {}): SpawnCall => ({
  tool: "dynamic_subagent_task",
  input: dynamicSubagentTaskInputSchema.parse({
    description: "d",
    instructions: "do it",
    tools: ["Read", "Write"],
    ...input,
  }),
})
const session = (input: object = {}): SpawnCall => ({
  tool: "sessions_spawn",
  input: sessionsSpawnInputSchema.parse({ task: "do  it\nwell", ...input }),
})

describe("a sub-agent started from outside", () => {
  it("has depth 1, no parent and a sub-agent's key, and is audited", async () => {
    const { spawn, store } = await open()
    const outcome = await spawn(session({ label: "helper" }))
    if (outcome.kind === "refused") throw new Error("refused")
    const { sessionId, childSessionKey } = outcome.child
    expect(childSessionKey).toBe(`agent:general:subagent:${sessionId}`)
    expect(await store.sessions.get(sessionId)).toMatchObject({
      depth: 1,
      parentId: null,
      rootId: sessionId,
      sessionKey: childSessionKey,
      label: "helper",
      metadata: {},
      internal: { tool: "sessions_spawn", mode: "run", cleanup: "keep" },
      caller: "test",
    })
    expect(await store.audit.list({ sessionId })).toMatchObject([{ action: "spawn", by: "ana" }])
  })

  it("as Task is read-only, with role prompt and description alone", async () => {
    const { spawn, snapshotOf } = await open()
    const snapshot = await snapshotOf(await spawn(task()))
    expect(snapshot.systemPrompt).toBe(`${explorePrompt}\n\n# Task\nLook around`)
    expect(snapshot).toMatchObject({
      agent: "explore",
      tools: ["LS", "TodoWrite", "Glob", "Grep", "Read"],
      delegation: "none",
      approval: "policy",
    })
  })

  it.each([
    [undefined, "light"],
    ["main", "main"],
    ["light", "light"],
  ] as const)("as Task with model %s of explore runs on %s", async (wanted, model) => {
    const config: ConfigInput = {
      models: {
        light: { provider: "anthropic", model: "claude-haiku-5-5" },
        main: { provider: "anthropic", model: "claude-opus-5-5" },
      },
    }
    const { spawn, snapshotOf } = await open(config)
    expect((await snapshotOf(await spawn(task(wanted)))).model).toBe(model)
  })

  it("as a dynamic task gets its tools, steps, project notes, prompt frame and the lighter model", async () => {
    const config: ConfigInput = {
      models: {
        main: { provider: "anthropic", model: "claude-opus-5-5" },
        light: { provider: "anthropic", model: "claude-haiku-5-5" },
      },
    }
    const { spawn, snapshotOf, store, temporal } = await open(config)
    const outcome = await spawn(dynamic({ context: "known", max_steps: 7 }))
    const snapshot = await snapshotOf(outcome)
    expect(snapshot).toMatchObject({
      model: "light",
      tools: ["Read", "Write"],
      limits: { maxSteps: 7 },
      approval: "policy",
    })
    expect(snapshot.systemPrompt).toContain("Always use tabs.")
    if (outcome.kind === "refused") throw new Error("refused")
    const { sessionId } = outcome.child
    const [input] = temporal.execution(sessionId).options.args as [{ message: { id: string } }]
    expect((await store.inbox.get(sessionId, input.message.id))?.text).toBe(
      "=== CONTEXT (from previous work) ===\nknown\n\n=== YOUR TASK ===\ndo it",
    )
    const kept = await open({ ...config, subagents: { downgrade: false } })
    expect((await kept.snapshotOf(await kept.spawn(dynamic()))).model).toBe("main")
  })

  it("has no tool that the configuration denies to sub-agents", async () => {
    const { spawn, snapshotOf } = await open({ tools: { subagents: { deny: ["Write"] } } })
    expect((await snapshotOf(await spawn(dynamic()))).tools).toEqual(["Read"])
  })

  it("ignores an unknown model with a warning", async () => {
    const { spawn, snapshotOf } = await open()
    const outcome = await spawn(session({ model: "no-such" }))
    expect(outcome).toMatchObject({ kind: "started", child: { warning: expect.stringContaining("no-such") } })
    expect((await snapshotOf(outcome)).model).toBe("main")
  })

  it("may use another profile only if that is allowed or the user asks for it", async () => {
    const { spawn } = await open()
    expect(await spawn(session({ agentId: "plan" }))).toEqual({
      kind: "refused",
      refusal: { status: "forbidden", error: "agentId is not allowed for sessions_spawn (allowed: general)" },
    })
    expect((await spawn(session({ agentId: "plan" }), { isPerson: true })).kind).toBe("started")
    const free = await open({ subagents: { allowAgents: ["*"] } })
    expect((await free.spawn(session({ agentId: "plan" }))).kind).toBe("started")
  })

  it("counts per caller, even at the same moment, and frees its slot when it ends or dies", async () => {
    const { spawn, store, temporal, client } = await open({ subagents: { maxChildrenPerAgent: 2 } })
    const outcomes = await Promise.all([spawn(session()), spawn(session()), spawn(session())])
    expect(outcomes.filter(({ kind }) => kind === "started")).toHaveLength(2)
    expect(outcomes.find(({ kind }) => kind === "refused")).toMatchObject({
      refusal: { error: "sessions_spawn has reached max active children for this session (2/2)" },
    })
    expect((await spawn(session(), { caller: "another" })).kind).toBe("started")
    const [first, second] = await client.spawned("test")
    await store.sessions.patch(first?.id ?? "", { status: "completed", stopReason: "completed" })
    expect((await spawn(session())).kind).toBe("started")
    temporal.execution(second?.id ?? "").status = "TERMINATED"
    expect((await spawn(session())).kind).toBe("started")
  })

  it("leaves nothing behind if the request cannot be resolved", async () => {
    const { spawn, store } = await open()
    await expect(spawn(dynamic({ tools: ["NoTool"] }))).rejects.toMatchObject({ code: "tool_not_found" })
    expect((await store.sessions.list({})).items).toEqual([])
  })
})
