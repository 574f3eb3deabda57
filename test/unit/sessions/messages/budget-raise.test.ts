import { describe, expect, it } from "vitest"
import type { ModelSpec, RunSnapshot } from "../../../../contracts/run-snapshot.ts"
import type { Limits } from "../../../../contracts/run/limit-schemas.ts"
import type { SendRequest } from "../../../../sessions/send-request.ts"
import { actor, baseSnapshot, clientFixture, request } from "../../client/client-fixture.ts"

const place = { actor, cwd: request.cwd }
const noLimits = { maxSteps: 30, timeoutSeconds: 0, budgetMicroUsd: null, budgetTokens: null }

interface Tree {
  readonly parent: Partial<Limits>
  readonly child: Partial<Limits>
  /** Further settings of the child's run. */
  readonly settings?: Partial<RunSnapshot>
}

/** Opens a parent and its sub-agent, which waits for an answer. */
const openTree = async (tree: Tree) => {
  const fixture = await clientFixture()
  const { client, store, temporal } = fixture
  const { sessionId: parentId } = await client.start(request)
  const child = await client.create({ ...place, parentId })
  const sent = await client.send({ sessionId: child.id, text: "Look.", type: "message", actor })
  const give = async (sessionId: string, own: Partial<Limits>, settings: Partial<RunSnapshot> = {}): Promise<void> => {
    const runId = `run_of_${sessionId}`
    const snapshot: RunSnapshot = { ...baseSnapshot, ...settings, limits: { ...noLimits, ...own } }
    await store.runs.create({ runId, sessionId, snapshotHash: await store.snapshots.put(snapshot) })
    await store.sessions.patch(sessionId, { runId, status: "running" })
  }
  await give(parentId, tree.parent)
  await give(child.id, tree.child, tree.settings)
  const { checkpointId } = await fixture.pause(child.id, { type: "input_required", calls: [] })
  temporal.onUpdate = () => ({ run_id: sent.runId })
  const answer = (asked: SendRequest["limits"]) =>
    client.send({ sessionId: child.id, text: "More.", type: "message", checkpointId, limits: asked, actor })
  return { ...fixture, parentId, childId: child.id, answer, updates: () => temporal.execution(child.id).updates }
}

describe("an answer to a sub-agent that has used up its budget", () => {
  // The parent may spend the rest of its budget itself.
  it("cannot give it more than its share of a limited budget", async () => {
    const { answer, updates, store, parentId, childId } = await openTree({
      parent: { budgetTokens: 10_000, budgetMicroUsd: 5_000_000 },
      child: { budgetTokens: 1_000, budgetMicroUsd: 1_000_000 },
    })
    const refused = { code: "limit_widened", message: expect.stringContaining(`budget of ${parentId}`) }
    await expect(answer({ budget_tokens: 2_000 })).rejects.toMatchObject(refused)
    await expect(answer({ budget_usd: 2, budget_tokens: 500 })).rejects.toMatchObject({
      message: expect.stringContaining("budget_usd cannot be raised: cancel it"),
    })
    expect(updates()).toEqual([])
    expect(await store.pauses.current(childId)).toBeDefined()
    await answer({ budget_tokens: 1_000 })
    expect(updates()).toMatchObject([{ payload: { budget: { tokens: 1_000, micro_usd: 1_000_000 } } }])
  })

  it("can raise what its parent does not limit", async () => {
    const { answer, updates } = await openTree({
      parent: { budgetMicroUsd: 5_000_000 },
      child: { budgetTokens: 1_000, budgetMicroUsd: 1_000_000 },
    })
    await answer({ budget_tokens: 2_000 })
    expect(updates()).toMatchObject([{ payload: { budget: { tokens: 2_000, micro_usd: 1_000_000 } } }])
  })
})

describe("an answer to a run that has used up a budget that was raised before", () => {
  it("keeps what was raised of the other budget", async () => {
    const { answer, updates, store, childId } = await openTree({
      parent: {},
      child: { budgetTokens: 1_000, budgetMicroUsd: 1_000_000 },
    })
    const budget = { microUsd: 1_000_000, tokens: 5_000 }
    await store.runs.patch(`run_of_${childId}`, {
      spending: { ranMs: 1, childrenMicroUsd: 0, childrenTokens: 0, budget },
    })
    await answer({ budget_usd: 3 })
    expect(updates()).toMatchObject([{ payload: { budget: { tokens: 5_000, micro_usd: 3_000_000 } } }])
  })
})

describe("an answer that adds a budget in dollars", () => {
  const { main, free } = baseSnapshot.models
  it.each<[string, Partial<RunSnapshot>]>([
    ["its model", { models: { main: { ...main, price: null } as ModelSpec } }],
    ["a fallback model", { models: { main: { ...main, fallback: ["free"] } as ModelSpec, free: free as ModelSpec } }],
  ])("is refused if the price of %s is unknown", async (_, settings) => {
    const { answer, updates } = await openTree({
      parent: {},
      child: { budgetTokens: 1_000 },
      settings: { modelTiers: [], ...settings },
    })
    await expect(answer({ budget_usd: 1 })).rejects.toMatchObject({ code: "price_unknown" })
    expect(updates()).toEqual([])
  })
})
