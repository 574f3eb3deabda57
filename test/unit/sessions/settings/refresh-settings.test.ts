import { describe, expect, it } from "vitest"
import type { ConfigInput } from "../../../../contracts/config/config.ts"
import type { StartRequest } from "../../../../sessions/start-request.ts"
import { actor } from "../../client/client-fixture.ts"
import { openSettings } from "./settings-rig.ts"

const env = { ANTHROPIC_API_KEY: "key" }
const configOf = (model: string, profile: NonNullable<ConfigInput["agents"]>[string]): ConfigInput => ({
  models: { main: { provider: "anthropic", model }, light: { provider: "anthropic", model: "claude-haiku-5-5" } },
  agents: { worker: profile },
})
const old = configOf("claude-opus-5-5", { prompt: "Old prompt.", maxSteps: 10, tools: ["Read"] })
const present = configOf("claude-sonnet-5-5", { prompt: "New prompt.", maxSteps: 20, tools: ["Read", "Bash"] })

/** A session of an earlier process, and a message to it in a process with another configuration. */
const begun = async (request: Partial<StartRequest> = {}) => {
  const rig = await openSettings(old, env)
  const sessionId = await rig.start({ agent: "worker", ...request })
  const followUp = async (config: ConfigInput = present) => {
    const message = { sessionId, text: "continue", type: "follow_up", actor } as const
    await rig.restarted(config).send(message)
    return await rig.settingsOf(sessionId)
  }
  return { ...rig, sessionId, followUp }
}

describe("the next run of a session", () => {
  it("uses the present configuration", async () => {
    const { finish, sessionId, followUp } = await begun()
    await finish(sessionId)
    const { models, systemPrompt, limits, tools } = await followUp()
    expect(models["main"]?.model).toBe("claude-sonnet-5-5")
    expect(systemPrompt).toContain("New prompt.")
    expect([limits.maxSteps, tools]).toEqual([20, ["Read", "Bash"]])
  })

  it("keeps what its start has set", async () => {
    const { finish, sessionId, followUp } = await begun({
      ...{ model: "light", max_steps: 5, allowed_tools: ["Read"], system_prompt: "My own.", thinking: "low" },
    })
    await finish(sessionId)
    const { model, models, systemPrompt, limits, tools } = await followUp()
    expect([model, models["light"]?.thinking]).toEqual(["light", "low"])
    expect(systemPrompt).toContain("My own.")
    expect([limits.maxSteps, tools]).toEqual([5, ["Read"]])
  })

  it("keeps what a later message has set, and the model that a person chose", async () => {
    const { client, finish, sessionId, followUp, store } = await begun()
    await finish(sessionId)
    await client.send({ sessionId, text: "less", type: "message", limits: { max_steps: 3 }, actor })
    await finish(sessionId)
    await store.sessions.patch(sessionId, { model: "light" })
    const { model, limits } = await followUp()
    expect([model, limits.maxSteps]).toEqual(["light", 3])
  })

  it("is sandboxed from when its profile demands it, and stays so", async () => {
    const { finish, sessionId, followUp } = await begun()
    await finish(sessionId)
    const demanding = configOf("claude-sonnet-5-5", { sandbox: "require", tools: ["Bash"] })
    expect(await followUp(demanding)).toMatchObject({ sandboxed: true, sandbox: "require" })
    await finish(sessionId)
    expect(await followUp()).toMatchObject({ sandboxed: true, sandbox: "require" })
  })

  it("keeps the approval that its start gave", async () => {
    const { finish, sessionId, followUp } = await begun({ auto_approve: true })
    await finish(sessionId)
    expect((await followUp()).approval).toBe("all")
  })

  it("keeps its settings if the configuration no longer has its agent", async () => {
    const { finish, sessionId, followUp } = await begun()
    await finish(sessionId)
    expect((await followUp(configOf("claude-sonnet-5-5", {})))?.systemPrompt).not.toContain("Old prompt.")
    await finish(sessionId)
    const without = { ...present, agents: {} }
    expect((await followUp(without)).agent).toBe("worker")
  })
})

it("an open run keeps its own settings", async () => {
  const { followUp } = await begun()
  expect((await followUp()).systemPrompt).toContain("Old prompt.")
})

it("a session that was created before uses what the configuration says when its first message comes", async () => {
  const rig = await openSettings(old, env)
  const { id } = await rig.client.create({ agent: "worker", cwd: rig.cwd, actor })
  await rig.restarted(present).send({ sessionId: id, text: "go", type: "message", actor })
  expect((await rig.settingsOf(id)).models["main"]?.model).toBe("claude-sonnet-5-5")
  expect((await rig.settingsOf(id)).explicit).toEqual([])
})
