import { expect, describe, it } from "vitest"
import type { ConfigInput } from "../../../../contracts/config/config.ts"
import { dynamicSubagentTaskInputSchema } from "../../../../contracts/delegation/tasks-input.ts"
import { sessionsSpawnInputSchema } from "../../../../contracts/delegation/sessions-input.ts"
import type { RunSnapshot } from "../../../../contracts/run-snapshot.ts"
import type { SpawnCall } from "../../../../sessions/spawn/spawn-request.ts"
import { actor } from "../../client/client-fixture.ts"
import { rolePromptOf } from "../../../../domain/prompts/role-prompts.ts"
import { openSettings, type SettingsRig } from "./settings-rig.ts"

const env = { ANTHROPIC_API_KEY: "main-key", OWN_KEY: "own-key" }
type Profile = NonNullable<ConfigInput["agents"]>[string]

const credentials = { anthropic: { apiKeyEnv: "OWN_KEY" } }
const unset = { anthropic: { apiKeyEnv: "UNSET_KEY" } }

/** Profiles, each with other settings for its runs. */
const profiles: Readonly<Record<string, Profile>> = {
  plain: {},
  isolated: { isolated: true, credentials },
  "with its own key": { credentials },
  "with a key that is not set": { credentials: unset },
  limited: { maxSteps: 7, timeoutSeconds: 60, budgetUsd: 0.5, budgetTokens: 9_000 },
  thinking: { thinking: "high" },
  "on its own model": { model: "light" },
  "with a model's id": { model: "claude-haiku-5-5" },
  "with its own tools": { tools: ["Read", "Bash"] },
  "with its own prompt": { prompt: "You look after the docs." },
  "with its own sub-agents": { subagents: { maxChildrenPerAgent: 2, runTimeoutSeconds: 9 } },
  program: { type: "binary", command: "./count.sh", args: ["-l"] },
  bridge: { type: "mcp-bridge", mcpTool: "mcp__docs__search", mcpToolInput: '{"q": "{{task}}"}' },
}

const configOf = (profile: Profile, more: ConfigInput = {}): ConfigInput => ({
  models: {
    main: { provider: "anthropic", model: "claude-opus-5-5" },
    light: { provider: "anthropic", model: "claude-haiku-5-5" },
    local: { provider: "openai-compatible", model: "qwen", baseUrl: "http://127.0.0.1:1/v1" },
  },
  mcpServers: { docs: { command: "docs-mcp" } },
  security: { allowBinaryAgents: true },
  ...more,
  agents: { worker: profile, ...more.agents },
  subagents: { allowAgents: ["*"], ...more.subagents },
})

const session = (input: object = {}): SpawnCall => ({
  tool: "sessions_spawn",
  input: sessionsSpawnInputSchema.parse({ task: "do it", agentId: "worker", ...input }),
})
const task = (type: "general" | "explore" = "explore"): SpawnCall => ({
  tool: "Task",
  input: { description: "Look", prompt: "do it", subagent_type: type },
})
const dynamic: SpawnCall = {
  tool: "dynamic_subagent_task",
  input: dynamicSubagentTaskInputSchema.parse({ description: "d", instructions: "do it", tools: ["Read"] }),
}

/** What an agent of profile `general` starts by the call. */
const byAgent = async (rig: SettingsRig, { tool, input }: SpawnCall) => {
  const outcome = await rig.agentCalls(await rig.start(), { tool, args: input })
  if (outcome.kind === "answered") throw new Error(outcome.text)
  return outcome
}

const summary = (sessionId: string) => ({
  id: sessionId,
  ordinal: 1,
  label: null,
  runId: "",
  status: "ended" as const,
})

/** Ways to a session of profile `worker` whose settings nobody has narrowed; all must give the same result. */
const ways: Readonly<Record<string, (rig: SettingsRig) => Promise<RunSnapshot>>> = {
  "a program": async (rig) => rig.settingsOf(await rig.start({ agent: "worker" })),
  "an MCP client, by sessions_spawn": (rig) => rig.spawn(session()),
  "an agent, by sessions_spawn": async (rig) => (await byAgent(rig, session())).snapshot,
  "the first message of a session": async (rig) => {
    const { id } = await rig.client.create({ agent: "worker", cwd: rig.cwd, actor })
    await rig.client.send({ sessionId: id, text: "do it", type: "message", actor })
    return await rig.settingsOf(id)
  },
  "a follow-up": async (rig) => {
    const id = await rig.start({ agent: "worker" })
    await rig.finish(id)
    await rig.client.send({ sessionId: id, text: "again", type: "follow_up", actor })
    return await rig.settingsOf(id)
  },
  "a message to a fork": async (rig) => {
    const id = await rig.start({ agent: "worker" })
    await rig.finish(id)
    const fork = await rig.client.fork({ sessionId: id, atStep: 0, actor })
    await rig.client.send({ sessionId: fork.id, text: "again", type: "message", actor })
    return await rig.settingsOf(fork.id)
  },
  "an agent that restarts its child": async (rig) => {
    const parentId = await rig.start()
    const call = session()
    const child = await rig.agentCalls(parentId, { tool: call.tool, args: call.input })
    if (child.kind === "answered") throw new Error(child.text)
    await rig.finish(child.sessionId)
    const again = await rig.agentCalls(parentId, {
      tool: "sessions_send",
      args: { sessionKey: child.sessionId, message: "again" },
      input: { children: [summary(child.sessionId)] },
    })
    if (again.kind === "answered") throw new Error(again.text)
    return again.snapshot
  },
}

/** The settings as they are stored, without who has set them and who reads the report. */
const stored = ({ systemPrompt, ...snapshot }: RunSnapshot): unknown => {
  const toCaller = systemPrompt.replace(
    rolePromptOf("general", undefined, "person"),
    rolePromptOf("general", undefined),
  )
  return JSON.parse(JSON.stringify({ ...snapshot, explicit: undefined, systemPrompt: toCaller }))
}

describe("the settings of a session of one profile", () => {
  for (const [kind, profile] of Object.entries(profiles))
    it(`are the same for every way to start it: ${kind}`, async () => {
      const rig = await openSettings(configOf(profile), env)
      const expected = stored(await rig.settingsOf(await rig.start({ agent: "worker", actor })))
      const found = new Map<string, unknown>()
      for (const [way, start] of Object.entries(ways)) found.set(way, stored(await start(rig)))
      for (const [way, snapshot] of found) expect.soft(snapshot, way).toEqual(expected)
    })
})

/** Configurations that set every default for sub-agents, with profiles that set nothing or everything. */
const defaults: ConfigInput["subagents"] = { model: "light", thinking: "low", runTimeoutSeconds: 90 }
const overlaid: Readonly<Record<string, Profile>> = {
  "a profile that sets nothing": {},
  "a profile that sets everything": {
    model: "main",
    thinking: "high",
    timeoutSeconds: 60,
    maxSteps: 9,
    budgetTokens: 500,
    credentials,
  },
}

describe("the settings of a sub-agent with defaults in `subagents`", () => {
  for (const [kind, profile] of Object.entries(overlaid))
    for (const call of [task(), dynamic, session({ agentId: "explore" })])
      it(`are the same from outside and from an agent: ${call.tool}, ${kind}`, async () => {
        const agents = { explore: profile, general: { ...profile, delegation: "sessions" as const } }
        const main = { boss: { tools: ["LS", "TodoWrite", "Glob", "Grep", "Read"], delegation: "sessions" as const } }
        const rig = await openSettings(
          configOf({}, { agents: { ...agents, ...main }, subagents: { ...defaults, maxSpawnDepth: 2 } }),
          env,
        )
        const outside = await rig.spawn(call)
        const boss = await rig.start({ agent: "boss", auto_approve: false })
        const inside = await rig.agentCalls(boss, { tool: call.tool, args: call.input })
        if (inside.kind === "answered") throw new Error(inside.text)
        expect(stored(inside.snapshot)).toEqual(stored(outside))
      })

  const ofGeneral: Readonly<Record<string, NonNullable<Extract<Profile, { subagents?: unknown }>["subagents"]>>> = {
    model: { model: "light" },
    thinking: { thinking: "low" },
    runTimeoutSeconds: { runTimeoutSeconds: 45 },
    archiveAfterMinutes: { archiveAfterMinutes: 7 },
    maxChildrenPerAgent: { maxChildrenPerAgent: 3 },
  }

  it.each(Object.entries(ofGeneral))(
    "are those of agents.general.subagents for a caller from outside as for an agent of general: %s",
    async (name, own) => {
      const general = { delegation: "sessions" as const, subagents: own }
      const rig = await openSettings(configOf({}, { agents: { general }, subagents: { maxSpawnDepth: 2 } }), env)
      const outside = await rig.spawn(session())
      expect(stored(outside)).toEqual(stored((await byAgent(rig, session())).snapshot))
      const plain = await openSettings(configOf({}, { subagents: { maxSpawnDepth: 2 } }), env)
      const { agents: _a, cwd: _c, ...changed } = outside
      const { agents: _b, cwd: _d, ...before } = await plain.spawn(session())
      expect(stored(changed as RunSnapshot), name).not.toEqual(stored(before as RunSnapshot))
    },
  )

  it.each([
    [{ allowAgents: ["explore"] }, "agentId is not allowed for sessions_spawn (allowed: explore)"],
    [{ requireAgentId: true }, "agentId"],
    [{ maxChildrenPerAgent: 1 }, "sessions_spawn has reached max active children for this session (1/1)"],
  ])("limit a caller from outside by agents.general.subagents: %j", async (own, text) => {
    const config = configOf({}, { agents: { general: { delegation: "sessions", subagents: own } } })
    const rig = await openSettings(config, env)
    const call = "requireAgentId" in own ? session({ agentId: undefined }) : session()
    if ("maxChildrenPerAgent" in own) await rig.spawn(call)
    await expect(rig.spawn(call)).rejects.toThrow(text)
  })

  it("take model and thinking level from the call, then the profile, then `subagents`", async () => {
    const rig = await openSettings(configOf({ thinking: "high", model: "main" }, { subagents: defaults }), env)
    const levelOf = ({ models, model }: RunSnapshot) => [model, models[model]?.thinking]
    for (const start of [
      (call: SpawnCall) => rig.spawn(call),
      async (call: SpawnCall) => (await byAgent(rig, call)).snapshot,
    ]) {
      expect(levelOf(await start(session()))).toEqual(["main", "high"])
      expect(levelOf(await start(session({ thinking: "medium", model: "light" })))).toEqual(["light", "medium"])
      expect(levelOf(await start(session({ agentId: "general" })))).toEqual(["light", "low"])
    }
  })

  it("use general's own model for a dynamic task if no model is downgraded", async () => {
    const config = configOf(
      {},
      {
        agents: { general: { model: "local", thinking: "high" }, boss: { delegation: "sessions" } },
        subagents: { ...defaults, downgrade: false },
      },
    )
    const rig = await openSettings(config, env)
    const { tool, input: args } = dynamic
    const inside = await rig.agentCalls(await rig.start({ agent: "boss" }), { tool, args })
    if (inside.kind === "answered") throw new Error(inside.text)
    for (const { model, models } of [await rig.spawn(dynamic), inside.snapshot])
      expect([model, models[model]?.thinking]).toEqual(["local", "high"])
  })

  it("take the timeout from the call, then `subagents`, then the profile, even for programs and bridges", async () => {
    const timeouts = async (profile: Profile, runTimeoutSeconds: number, input: object) => {
      const rig = await openSettings(configOf(profile, { subagents: { runTimeoutSeconds } }), env)
      const call = session(input)
      const { snapshot } = await byAgent(rig, call)
      return [(await rig.spawn(call)).limits.timeoutSeconds, snapshot.limits.timeoutSeconds]
    }
    expect(await timeouts({ timeoutSeconds: 60 }, 0, {})).toEqual([60, 60])
    expect(await timeouts({ timeoutSeconds: 60 }, 90, {})).toEqual([90, 90])
    expect(await timeouts({ timeoutSeconds: 60 }, 90, { runTimeoutSeconds: 30 })).toEqual([30, 30])
    for (const kind of ["program", "bridge"]) expect(await timeouts(profiles[kind] ?? {}, 90, {})).toEqual([90, 90])
  })
})

describe("a sub-agent of an agent with limits", () => {
  const left = { budgetLeft: { microUsd: 6_000_000, tokens: 60_000 }, timeLeftMs: 40_000 }

  it("gets what its profile says, at most the share that is reserved for it and the time that is left", async () => {
    const rig = await openSettings(configOf(profiles["limited"] ?? {}, { subagents: { maxChildrenPerAgent: 5 } }), env)
    const parentId = await rig.start({ max_steps: 5, timeout_seconds: 100, budget_usd: 6, budget_tokens: 60_000 })
    const { tool, input: args } = session()
    expect(await rig.agentCalls(parentId, { tool, args, input: left })).toMatchObject({
      snapshot: { limits: { maxSteps: 5, timeoutSeconds: 40, budgetMicroUsd: 500_000, budgetTokens: 9_000 } },
      reserved: { microUsd: 500_000, tokens: 9_000 },
    })
  })

  it.each(["program", "bridge"])("keeps a %s within its share, too", async (kind) => {
    const rig = await openSettings(configOf(profiles[kind] ?? {}), env)
    const parentId = await rig.start({ timeout_seconds: 100, budget_usd: 6, budget_tokens: 60_000 })
    const { tool, input: args } = session()
    expect(await rig.agentCalls(parentId, { tool, args, input: left })).toMatchObject({
      snapshot: { limits: { maxSteps: 100, timeoutSeconds: 40, budgetMicroUsd: 1_000_000, budgetTokens: 10_000 } },
    })
  })

  it("keeps a child that it restarts within its profile's budget", async () => {
    const rig = await openSettings(configOf(profiles["limited"] ?? {}), env)
    const parentId = await rig.start({ budget_tokens: 60_000 })
    const { tool, input: args } = session()
    const child = await rig.agentCalls(parentId, { tool, args, input: left })
    if (child.kind === "answered") throw new Error(child.text)
    await rig.finish(child.sessionId)
    const again = await rig.agentCalls(parentId, {
      tool: "sessions_send",
      args: { sessionKey: child.sessionId, message: "again" },
      input: { ...left, children: [summary(child.sessionId)] },
    })
    expect(again).toMatchObject({
      snapshot: { limits: { budgetMicroUsd: 500_000, budgetTokens: 9_000 } },
      reserved: { microUsd: 500_000, tokens: 9_000 },
    })
  })
})

describe("settings that cannot be met", () => {
  const refusals: Readonly<
    Record<string, { readonly config: ConfigInput; readonly code: string; readonly names: string }>
  > = {
    "an isolated profile without a key": {
      config: configOf({ isolated: true }),
      code: "key_missing",
      names: "agents.worker.credentials.anthropic.apiKeyEnv",
    },
    "an isolated profile whose key is not set": {
      config: configOf({ isolated: true, credentials: unset }),
      code: "key_missing",
      names: "UNSET_KEY",
    },
    "a program although programs are disabled": {
      config: configOf({ type: "binary", command: "./count.sh" }, { security: { allowBinaryAgents: false } }),
      code: "forbidden",
      names: "security.allowBinaryAgents",
    },
    "a profile with a model that does not exist": {
      config: configOf({ model: "gone" }),
      code: "model_not_found",
      names: "agents.worker.model",
    },
    "a budget in US dollars for a model without a price": {
      config: configOf({ model: "local", budgetUsd: 1 }),
      code: "price_unknown",
      names: "price",
    },
  }

  it.each(Object.entries(refusals))(
    "are rejected for every way to start the session: %s",
    async (_, { config, code, names }) => {
      const rig = await openSettings(config, env)
      const refused = { code, message: expect.stringContaining(names) }
      await expect(rig.start({ agent: "worker" })).rejects.toMatchObject(refused)
      await expect(rig.spawn(session())).rejects.toMatchObject(refused)
      const { tool, input: args } = session()
      const answer = await rig.agentCalls(await rig.start(), { tool, args })
      expect(answer).toEqual({ kind: "answered", text: expect.stringContaining(names) })
    },
  )

  it("are rejected by a worker whose environment has no key, in the words of the tool's family", async () => {
    const config = configOf(
      {},
      { agents: { general: { isolated: false }, explore: { isolated: true, credentials: unset } } },
    )
    const rig = await openSettings(config, env)
    const { tool, input: args } = task()
    const answer = await rig.agentCalls(await rig.start(), { tool, args })
    expect(answer).toEqual({ kind: "answered", text: expect.stringContaining("UNSET_KEY") })
  })

  it("give a child its parent's model if the parent itself may not use `subagents.model`", async () => {
    const config = configOf(
      { isolated: true, credentials },
      { subagents: { allowAgents: ["*"], model: "other" }, agents: { explore: {} } },
    )
    const models = { ...config.models, other: { provider: "openai", model: "gpt-6.1-sol" } as const }
    const rig = await openSettings({ ...config, models }, { ...env, OPENAI_API_KEY: "other-key" })
    const { tool, input: args } = session({ agentId: "explore" })
    const answer = await rig.agentCalls(await rig.start({ agent: "worker" }), { tool, args })
    expect(answer).toMatchObject({ kind: "started", snapshot: { model: "main" } })
  })

  it("leave an isolated child none of its parent's keys, though it asks for a model above its parent's", async () => {
    const config = configOf(
      { isolated: true, credentials: { openai: { apiKeyEnv: "OWN_KEY" } }, model: "strong" },
      { modelTiers: [["strong"], ["main"]] },
    )
    const models = { ...config.models, strong: { provider: "openai", model: "gpt-6.1-sol" } as const }
    const rig = await openSettings({ ...config, models }, env)
    const { tool, input: args } = session()
    const answer = await rig.agentCalls(await rig.start(), { tool, args })
    expect(answer).toEqual({ kind: "answered", text: expect.stringContaining("agents.worker.credentials.anthropic") })
  })
})

describe("a profile that demands a sandbox", () => {
  const demanding = configOf({ sandbox: "require" }, { agents: { general: { sandbox: "require" }, free: {} } })
  const plain = configOf({ sandbox: "require" })

  it("sandboxes each sub-agent that runs as it, whichever tool starts it", async () => {
    for (const [config, call] of [
      [plain, { tool: "sessions_spawn", args: { task: "do it", agentId: "worker" } }],
      [
        demanding,
        { tool: "dynamic_subagent_task", args: { description: "d", instructions: "do it", tools: ["Read"] } },
      ],
      [demanding, { tool: "run_command_task", args: { command: "true" } }],
    ] as const) {
      const { start, agentCalls } = await openSettings(config, env)
      const outcome = await agentCalls(await start({ agent: config === plain ? "general" : "free" }), call)
      expect(outcome).toMatchObject({ kind: "started", snapshot: { sandboxed: true, sandbox: "require" } })
    }
  })

  it("fails where no sandbox works, and leaves other sub-agents alone", async () => {
    const { start, agentCalls } = await openSettings(plain, env)
    const parent = await start()
    const spawn = (agentId: string) =>
      agentCalls(parent, {
        tool: "sessions_spawn",
        args: { task: "do it", agentId },
        sandboxReason: "bwrap is missing",
      })
    expect(await spawn("worker")).toEqual({
      kind: "answered",
      text: expect.stringContaining("no sandbox is available: bwrap is missing"),
    })
    expect(await spawn("general")).toMatchObject({ kind: "started", snapshot: { sandboxed: false } })
  })
})
