import { describe, expect, it, vi } from "vitest"
import type { Config, ConfigInput } from "../../../../contracts/config/config.ts"
import { sessionsSpawnInputSchema } from "../../../../contracts/delegation/sessions-input.ts"
import type { RemoteActor } from "../../../../sessions/actor.ts"
import { withStoredProfiles } from "../../../../sessions/profiles/stored-profiles.ts"
import type { Store } from "../../../../store/store.ts"
import { actor } from "../../client/client-fixture.ts"
import { openSettings } from "../settings/settings-rig.ts"

const config: ConfigInput = {
  models: { main: { provider: "scripted", script: "demo.yaml" } },
  agents: { general: { delegation: "sessions" }, reviewer: { prompt: "Review." } },
  profiles: { source: "store" },
  subagents: { allowAgents: ["editor", "explore"], maxSpawnDepth: 2 },
}
const editor = { prompt: "You edit.", tools: ["Read", "Edit"], maxSteps: 9 }

const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
  await work.then(
    () => "done",
    (error: { readonly code?: string; readonly message: string }) => [error.code, error.message],
  )

describe("a profile in the store", () => {
  it("applies to every way to start a session, from its creation to its deletion", async () => {
    const { client, start, settingsOf, spawn, agentCalls } = await openSettings(config, {})
    const parent = await start()
    expect(await codeOf(start({ agent: "editor" }))).toMatchObject(["agent_not_found", expect.anything()])
    const created = await client.profiles.create({ name: "editor", profile: editor }, actor)
    expect(created).toMatchObject({
      ...{ id: "editor", type: "llm", source: "store", version: 1, updated_by: "ana" },
      profile: editor,
    })
    const session = await start({ agent: "editor" })
    const before = await settingsOf(session)
    expect(before).toMatchObject({ agent: "editor", tools: ["Read", "Edit"], limits: { maxSteps: 9 } })
    expect(before.systemPrompt).toContain("You edit.")
    const input = sessionsSpawnInputSchema.parse({ task: "x", agentId: "editor" })
    expect(await spawn({ tool: "sessions_spawn", input })).toMatchObject({ agent: "editor", limits: { maxSteps: 9 } })

    const changed = { ...editor, prompt: "You edit shortly.", maxSteps: 4 }
    expect(await client.profiles.update({ name: "editor", profile: changed, version: 1 }, actor)).toMatchObject({
      ...{ version: 2, profile: changed },
    })
    // What has started keeps its settings, and so do the sub-agents that it starts.
    expect(await settingsOf(session)).toEqual(before)
    const call = { tool: "sessions_spawn", args: { task: "x", agentId: "editor" } }
    expect(await agentCalls(parent, call)).toMatchObject({ kind: "answered", text: expect.stringContaining("allowed") })
    expect(await agentCalls(await start(), call)).toMatchObject({ snapshot: { limits: { maxSteps: 4 } } })

    await client.profiles.delete({ name: "editor" }, actor)
    expect(await codeOf(start({ agent: "editor" }))).toMatchObject(["agent_not_found", expect.anything()])
    expect(await settingsOf(session)).toEqual(before)
  })

  it("is listed after those of the configuration, with its source and its open sessions", async () => {
    const { client, start } = await openSettings(config, {})
    await client.profiles.create({ name: "editor", profile: editor }, actor)
    const id = await start({ agent: "editor" })
    const items = await client.profiles.list()
    expect(items.map(({ id: name, source }) => [name, source])).toEqual([
      ["general", "config"],
      ["explore", "built-in"],
      ["plan", "built-in"],
      ["summary", "built-in"],
      ["reviewer", "config"],
      ["editor", "store"],
    ])
    expect(items.at(-1)).toMatchObject({ active: 1, sessions: [{ id }] })
    expect(await client.profiles.read("reviewer")).toMatchObject({ source: "config", version: null, updated_at: null })
  })

  it("replaces nothing that the file or Adjutant itself contains", async () => {
    const { client, store } = await openSettings(config, {})
    for (const name of ["explore", "reviewer"])
      for (const work of [
        client.profiles.create({ name, profile: editor }, actor),
        client.profiles.update({ name, profile: editor, version: 1 }, actor),
        client.profiles.delete({ name }, actor),
      ])
        expect(await codeOf(work)).toMatchObject(["profile_exists", expect.stringContaining("change it there")])
    // As if the file had got a profile of this name later.
    await store.profiles.change(
      { name: "reviewer", base: "none", profile: { prompt: "Other." }, ...actor },
      { mostProfiles: 9, mostBytes: 999 },
    )
    expect(await client.profiles.read("reviewer")).toMatchObject({ source: "config", profile: { prompt: "Review." } })
  })

  it("is changed by callers without limits only, and only if the configuration says so", async () => {
    const limited: readonly RemoteActor["authority"][] = [
      { approval: "policy", directories: "any" },
      { approval: "all", directories: ["/srv/project"] },
    ]
    const { client } = await openSettings(config, {})
    for (const authority of limited)
      expect(
        await codeOf(client.profiles.create({ name: "editor", profile: editor }, { ...actor, authority })),
      ).toMatchObject(["forbidden", expect.stringContaining("admin")])
    const closed = await openSettings({ ...config, profiles: {}, subagents: {} }, {})
    expect(await codeOf(closed.client.profiles.create({ name: "editor", profile: editor }, actor))).toMatchObject([
      "forbidden",
      expect.stringContaining("profiles.source"),
    ])
  })

  it("is edited only on the basis of its latest version", async () => {
    const { client } = await openSettings(config, {})
    const update = (version: number) => client.profiles.update({ name: "editor", profile: editor, version }, actor)
    expect(await codeOf(update(1))).toMatchObject(["profile_not_found", expect.anything()])
    await client.profiles.create({ name: "editor", profile: editor }, actor)
    expect(await codeOf(client.profiles.create({ name: "editor", profile: editor }, actor))).toMatchObject([
      "profile_exists",
      expect.anything(),
    ])
    await update(1)
    expect(await codeOf(update(1))).toMatchObject(["profile_changed", expect.anything()])
    expect(await codeOf(client.profiles.delete({ name: "editor", version: 1 }, actor))).toMatchObject([
      "profile_changed",
      expect.anything(),
    ])
    await client.profiles.delete({ name: "editor", version: 2 }, actor)
    expect(await codeOf(client.profiles.read("editor"))).toMatchObject(["profile_not_found", expect.anything()])
  })
})

const refused: Readonly<Record<string, readonly [profile: object, problem: string]>> = {
  "a program": [{ type: "binary", command: "/bin/sh" }, "must be llm or mcp-bridge"],
  "the name of a secret": [{ credentials: { openai: { apiKeyEnv: "SOME_SECRET" } } }, "credentials"],
  "the value of a secret": [{ prompt: "Use sk-the-key-of-main." }, "the value of a secret"],
  "an unknown key": [{ promt: "x" }, "promt"],
  "an unknown profile": [{ subagents: { allowAgents: ["exlpore"] } }, "there is no profile exlpore"],
  "a broken template": [{ type: "mcp-bridge", mcpTool: "mcp__a__b", mcpToolInput: "{{other}}" }, "mcpToolInput"],
  "deeper sub-agents": [{ subagents: { maxSpawnDepth: 3 } }, "subagents.maxSpawnDepth"],
  "more sub-agents": [{ subagents: { maxChildrenPerAgent: 6 } }, "subagents.maxChildrenPerAgent"],
  "sub-agents without a time limit": [{ subagents: { runTimeoutSeconds: 0 } }, "subagents.runTimeoutSeconds"],
  "profiles that the file does not allow": [{ subagents: { allowAgents: ["*"] } }, "subagents.allowAgents"],
  "sub-agents on the stronger model": [{ subagents: { downgrade: false } }, "subagents.downgrade"],
}

describe("a profile in the store cannot contain", () => {
  it.each(Object.entries(refused))("%s", async (_, [profile, problem]) => {
    const models = { main: { provider: "openai", model: "gpt-6.1-sol" } } as const
    const subagents = { ...config.subagents, runTimeoutSeconds: 60 }
    const { client, store } = await openSettings(
      { ...config, models, subagents },
      { OPENAI_API_KEY: "sk-the-key-of-main" },
    )
    expect(await codeOf(client.profiles.create({ name: "editor", profile }, actor))).toMatchObject([
      "invalid_argument",
      expect.stringContaining(problem),
    ])
    expect(await store.profiles.list()).toEqual([])
    expect(await store.audit.list({})).toEqual([])
  })

  it("what the file does not allow any more, or what another release wrote", async () => {
    const { client, store, loaded } = await openSettings(config, {})
    const profile = { subagents: { maxSpawnDepth: 2, allowAgents: ["explore"], reports: "all" } }
    await client.profiles.create({ name: "editor", profile }, actor)
    const write = (name: string, planted: object) =>
      store.profiles.change({ name, base: "none", profile: planted, ...actor }, { mostProfiles: 9, mostBytes: 9_999 })
    await write("planted", { type: "binary", command: "/bin/sh", args: [], env: {}, timeoutMs: 1, idempotent: false })
    const warnings: unknown[] = []
    const stricter: Config = {
      ...loaded.config,
      subagents: { ...loaded.config.subagents, maxSpawnDepth: 1, allowAgents: [] },
    }
    const context = {
      loaded: { ...loaded, config: stricter },
      store,
      logger: { warn: (detail: object) => warnings.push(detail) },
    }
    const { agents } = (await withStoredProfiles(context)).config
    expect(agents["editor"]).toMatchObject({ subagents: { reports: "all" } })
    expect(agents["editor"]).not.toHaveProperty("subagents.maxSpawnDepth")
    expect(agents["editor"]).not.toHaveProperty("subagents.allowAgents")
    expect(agents["planted"]).toBeUndefined()
    expect(warnings).toEqual([{ profile: "planted" }])
  })
})

/** Lets nothing be read once a change has been committed. */
const failAfterChanges = (store: Store): void => {
  const { change } = store.profiles
  const fails = () => Promise.reject(new Error("the disk is full"))
  vi.spyOn(store.profiles, "change").mockImplementation(async (...args) => {
    const outcome = await change(...args)
    vi.spyOn(store.profiles, "list").mockImplementation(fails)
    vi.spyOn(store.sessions, "listOpen").mockImplementation(fails)
    return outcome
  })
}

const openWithEditor = async () => {
  const { client, store, start } = await openSettings(config, {})
  await client.profiles.create({ name: "editor", profile: editor }, actor)
  return { client, store, start }
}

describe("a profile is changed, although the store fails after the change", () => {
  it("and its creation is answered as reading it would be", async () => {
    const { client, store, start } = await openWithEditor()
    await start({ agent: "editor" })
    await client.profiles.delete({ name: "editor" }, actor)
    failAfterChanges(store)
    const created = await client.profiles.create({ name: "editor", profile: { ...editor, maxSteps: 3 } }, actor)
    vi.restoreAllMocks()
    expect(created).toMatchObject({ version: 3, source: "store", updated_by: actor.by, active: 1 })
    expect(created).toEqual(await client.profiles.read("editor"))
  })

  it("and its replacement is answered as reading it would be", async () => {
    const { client, store } = await openWithEditor()
    failAfterChanges(store)
    const replaced = await client.profiles.update(
      { name: "editor", profile: { prompt: "You edit well." }, version: 1 },
      actor,
    )
    vi.restoreAllMocks()
    expect(replaced).toMatchObject({ version: 2, profile: { prompt: "You edit well." } })
    expect(replaced).toEqual(await client.profiles.read("editor"))
  })

  it("and its deletion is answered without an error", async () => {
    const { client, store } = await openWithEditor()
    failAfterChanges(store)
    await client.profiles.delete({ name: "editor" }, actor)
    vi.restoreAllMocks()
    expect(await store.profiles.list()).toEqual([])
  })
})
