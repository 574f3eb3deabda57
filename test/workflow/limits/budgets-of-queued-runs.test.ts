import { afterEach, expect, it } from "vitest"
import { nextCallOf } from "../../../activities/model/next-call.ts"
import type { ModelProvider, ModelRequest } from "../../../models/model-provider.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"
import { countTurn, createAssistantReply, type FakeReply } from "../../helpers/models/fake-model.ts"
import { estimatedPrompt } from "../../../domain/limits/prompt/next-call.ts"

// Each message that an agent queued for its sub-agent gave this the whole of its share again: the tree spent several times its budget.

let harness: Harness
afterEach(() => harness.close())

const childBudget = 60_000
const more = ["and more", "and still more"].map((message) => ["sessions_send", { sessionKey: "#1", message }] as const)

const isParent = ({ messages: [first] }: ModelRequest): boolean => first?.role === "user" && first.text === "PARENT"

/** A model whose calls use the most that they can. Its sub-agent works on until it may not, and begins when all messages are queued. */
const createModel = () => {
  const queued = Promise.withResolvers<void>()
  const spent = new Map<string, number>()
  const replyOf = async (request: ModelRequest, turn: number): Promise<FakeReply> => {
    if (!isParent(request)) {
      await queued.promise
      return { calls: [["LS", {}]] }
    }
    if (turn === 1) return { calls: [["sessions_spawn", { task: "SPEND", agentId: "spender" }]] }
    if (turn === 2) return { calls: more }
    queued.resolve()
    return { text: "I wait." }
  }
  const provider: ModelProvider = {
    respond: async (request) => {
      const { spec, cacheKey } = request
      const turn = countTurn(request)
      const reply = createAssistantReply(await replyOf(request, turn), turn)
      const call = nextCallOf(request, { spec, models: { main: spec }, prompt: request }, request.maxOutputTokens)
      const usage = { inputTokens: estimatedPrompt(call), outputTokens: call.maxOutputTokens }
      spent.set(cacheKey, (spent.get(cacheKey) ?? 0) + usage.inputTokens + usage.outputTokens)
      return { ...reply, usage: { ...reply.usage, ...usage } }
    },
  }
  return { provider, spent }
}

it("messages that wait for a sub-agent do not give it more than its share of the budget", async () => {
  const { provider, spent } = createModel()
  harness = await openHarness({
    model: provider,
    config: {
      models: { main: { provider: "scripted", script: "unused.yaml", maxOutputTokens: 1_000 } },
      agents: {
        general: { delegation: "sessions" },
        spender: { prompt: "Spend.", tools: ["LS"], budgetTokens: childBudget, maxSteps: 200 },
      },
      subagents: { allowAgents: ["*"] },
    },
  })
  const { client, store } = harness
  const parent = await harness.start({ prompt: "PARENT", budget_tokens: 3_000_000 })
  expect(await client.wait(parent)).toMatchObject({ outcome: "completed" })
  const [child] = (await store.sessions.list({ parentId: parent, limit: 10 })).items
  const runs = await store.runs.list(child?.id ?? "")
  expect(runs.map(({ stopReason }) => stopReason)).toEqual(["budget", "budget", "budget"])
  expect(spent.get(child?.id ?? "")).toBeGreaterThan(0)
  expect(spent.get(child?.id ?? "")).toBeLessThanOrEqual(childBudget)
  const { limits } = await client.info(child?.id ?? "")
  expect(limits?.budget_tokens.limit).toBe(childBudget - (spent.get(child?.id ?? "") ?? 0))
})
