import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { nextCallOf } from "../../activities/model/next-call.ts"
import type { ModelProvider, ModelRequest } from "../../models/model-provider.ts"
import { type LimitedEngine, lowLimits, startLimitedEngine } from "../helpers/engine/limited-engine.ts"
import { type Harness, openHarnessAt } from "../helpers/engine/open-harness-at.ts"
import { countTurn, createAssistantReply, type FakeReply } from "../helpers/models/fake-model.ts"
import { estimatedPrompt } from "../../domain/limits/prompt/next-call.ts"

// Every call of the model uses exactly what was reserved for it, so that a reservation that is missing anywhere exceeds the budget.

let engine: LimitedEngine
let harness: Harness

beforeAll(async () => {
  engine = await startLimitedEngine(lowLimits)
})
afterAll(() => engine.stop())
afterEach(() => harness.close())

const inputPrice = 2
const outputPrice = 4
const children = 3

interface Spent {
  readonly sessionId: string
  readonly tokens: number
  readonly microUsd: number
}

const firstText = ({ messages: [first] }: ModelRequest): string => (first?.role === "user" ? first.text : "")

const spawns = Array.from({ length: children }, () => ["sessions_spawn", { task: "SPEND" }] as const)
const look: FakeReply = { calls: [["LS", {}]] }

/** A parent makes a call while its children work, waits for them, and then spends what is left; all others only spend what they have. */
const isParent = (request: ModelRequest): boolean => ["TREE", "TOGETHER"].includes(firstText(request))
const replyOf = (request: ModelRequest, turn: number): FakeReply =>
  isParent(request) ? ([{ calls: spawns }, look, { text: "I wait." }][turn - 1] ?? look) : look

interface Meeting {
  readonly present: Set<string>
  readonly isComplete: Promise<void>
  readonly complete: () => void
}

/**
 * Lets the call that a parent makes while its children work, and the first calls of its children, be under way at the same moment: each waits for the
 * others. Only for trees whose budget covers these calls.
 */
const createMeetings = () => {
  const meetings = new Map<string, Meeting>()
  return async (request: ModelRequest, turn: number): Promise<void> => {
    const id = request.cacheKey
    if (firstText(request) === "TOGETHER" && turn === 1) {
      const { promise: isComplete, resolve: complete } = Promise.withResolvers<void>()
      meetings.set(id, { present: new Set(), isComplete, complete })
    }
    if (turn !== (isParent(request) ? 2 : 1)) return
    const meeting = meetings.get(isParent(request) ? id : ((await harness.store.sessions.get(id))?.parentId ?? ""))
    if (meeting === undefined) return
    meeting.present.add(id)
    if (meeting.present.size === children + 1) meeting.complete()
    const stopped = Promise.withResolvers<never>()
    request.signal.addEventListener("abort", () => stopped.reject(new Error("aborted")))
    await Promise.race([meeting.isComplete, stopped.promise])
  }
}

/** Returns a model that uses the most that each call can, and what it has used. */
const createGreedyModel = () => {
  const spent: Spent[] = []
  const meet = createMeetings()
  const provider: ModelProvider = {
    respond: async (request) => {
      const turn = countTurn(request)
      await meet(request, turn)
      const { spec } = request
      const call = nextCallOf(request, { spec, models: { main: spec }, prompt: request }, request.maxOutputTokens)
      const usage = { inputTokens: estimatedPrompt(call), outputTokens: call.maxOutputTokens }
      spent.push({
        sessionId: request.cacheKey,
        tokens: usage.inputTokens + usage.outputTokens,
        microUsd: usage.inputTokens * inputPrice + usage.outputTokens * outputPrice,
      })
      const reply = createAssistantReply(replyOf(request, turn), turn)
      return { ...reply, usage: { ...reply.usage, ...usage } }
    },
  }
  return { provider, spent }
}

const scripted = { provider: "scripted", script: "unused.yaml", maxOutputTokens: 1_000 } as const

/** Opens the harness. Returns what its calls use. */
const open = async (): Promise<readonly Spent[]> => {
  const { provider, spent } = createGreedyModel()
  harness = await openHarnessAt(engine.address, {
    model: provider,
    config: {
      models: { main: scripted, light: scripted },
      prices: { main: { inputPerMTok: inputPrice, outputPerMTok: outputPrice } },
      agents: { general: { delegation: "sessions" } },
      subagents: { maxConcurrent: 0, maxChildrenPerAgent: children },
      timing: { maxHistoryEvents: 300 },
    },
  })
  return spent
}

type Limits = { readonly budget_tokens: number } | { readonly budget_usd: number } | { readonly max_steps: number }

/** Runs a session until one of its limits ends it. Returns its id. `timeoutSeconds` only stops a hang. */
const spendAll = async (prompt: string, limits: Limits): Promise<string> => {
  const id = await harness.start({ prompt, auto_approve: false, max_steps: 200, ...limits })
  const stopReason = "max_steps" in limits ? "max_steps" : "budget"
  expect(await harness.client.wait(id, { timeoutSeconds: 300 })).toMatchObject({ stop_reason: stopReason })
  return id
}

const sumOf = (spent: readonly Spent[], ids: readonly string[]) => {
  const own = spent.filter(({ sessionId }) => ids.includes(sessionId))
  return {
    calls: own.length,
    tokens: own.reduce((sum, { tokens }) => sum + tokens, 0),
    microUsd: own.reduce((sum, { microUsd }) => sum + microUsd, 0),
  }
}

/** Returns what the first two calls of a session use. */
const priceCalls = async (spent: readonly Spent[]): Promise<readonly [first: Spent, second: Spent]> => {
  const id = await spendAll("ALONE", { max_steps: 2 })
  const [first, second] = spent.filter(({ sessionId }) => sessionId === id)
  if (first === undefined || second === undefined) throw new Error("the model was not called twice")
  return [first, second]
}

describe("the budget of a run whose calls use as much as they can", () => {
  it("covers exactly the calls that fit into it, to the last token and to the last millionth of a dollar", async () => {
    const spent = await open()
    const [first, second] = await priceCalls(spent)
    const tokens = first.tokens + second.tokens
    const microUsd = first.microUsd + second.microUsd
    const budgets = [
      { budget: { budget_tokens: 1 }, calls: 0 },
      { budget: { budget_tokens: first.tokens - 1 }, calls: 0 },
      { budget: { budget_tokens: first.tokens }, calls: 1 },
      { budget: { budget_tokens: tokens - 1 }, calls: 1 },
      { budget: { budget_tokens: tokens }, calls: 2 },
      { budget: { budget_usd: (microUsd - 1) / 1e6 }, calls: 1 },
      { budget: { budget_usd: microUsd / 1e6 }, calls: 2 },
    ]
    const made = await Promise.all(
      budgets.map(async ({ budget }) => sumOf(spent, [await spendAll("ALONE", budget)]).calls),
    )
    expect(made).toEqual(budgets.map(({ calls }) => calls))
  })
})

const childrenOf = async (id: string) => (await harness.store.sessions.list({ parentId: id, limit: 100 })).items

/** Returns what a tree and each of its members have spent, and what the product says that the tree has used. */
const accountOf = async (spent: readonly Spent[], root: string) => {
  const ids = [root, ...(await childrenOf(root)).map(({ id }) => id)]
  const details = await Promise.all(ids.map((id) => harness.client.info(id)))
  const members = details.map(({ id, status, limits }) => ({ id, status, limits, sum: sumOf(spent, [id]) }))
  return { root, members, sum: sumOf(spent, ids), limits: details[0]?.limits }
}
type Account = Awaited<ReturnType<typeof accountOf>>

/** Returns the members that have spent more than their limits. What the root has spent includes what its children have. */
const overspent = ({ root, members, sum }: Account) =>
  members.flatMap(({ id, limits, sum: own }) => {
    const { tokens, microUsd } = id === root ? sum : own
    const { budget_tokens: inTokens, budget_usd: inUsd } = limits ?? {}
    const isOver =
      tokens > (inTokens?.limit ?? Number.POSITIVE_INFINITY) ||
      microUsd > Math.round((inUsd?.limit ?? Number.POSITIVE_INFINITY) * 1e6)
    return isOver ? [{ id, tokens, microUsd, limits }] : []
  })

/** A call of a member that is cancelled can be under way, and is not counted. */
const hasCancelled = ({ members }: Account): boolean => members.some(({ status }) => status === "cancelled")

describe("the budget of a tree whose members spend side by side", () => {
  it("is not exceeded by them together, whatever it is, and each child stays within its share", async () => {
    const spent = await open()
    const [first] = await priceCalls(spent)
    const tokensOf = (calls: number): number => Math.floor(calls * first.tokens)
    const small = [{ budget_tokens: tokensOf(4) }, { budget_tokens: tokensOf(7.3) }]
    const large = [{ budget_tokens: tokensOf(16) }, { budget_usd: Math.floor(16 * first.microUsd) / 1e6 }]
    const trees = await Promise.all([
      ...small.map((budget) => spendAll("TREE", budget)),
      ...large.map((budget) => spendAll("TOGETHER", budget)),
    ])
    const accounts = await Promise.all(trees.map((root) => accountOf(spent, root)))
    expect(accounts.map(({ limits }) => limits?.budget_tokens.limit ?? limits?.budget_usd.limit)).toEqual(
      [...small, ...large].flatMap((budget) => Object.values(budget)),
    )
    expect(accounts.flatMap(overspent)).toEqual([])
    const complete = accounts.filter((account) => !hasCancelled(account))
    expect(complete.map(({ limits }) => limits?.budget_tokens.used)).toEqual(complete.map(({ sum }) => sum.tokens))
    // The large ones can afford that all members are under way at once, and that the parent continues with what its children have left.
    for (const root of trees.slice(small.length)) {
      expect((await childrenOf(root)).map(({ stopReason }) => stopReason)).toEqual(["budget", "budget", "budget"])
      expect(sumOf(spent, [root]).calls).toBeGreaterThan(3)
    }
  })
})
