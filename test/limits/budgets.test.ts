import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../helpers/eventually.ts"
import { type LimitedEngine, lowLimits, startLimitedEngine } from "../helpers/engine/limited-engine.ts"
import { type HeldTree, openHeldTree } from "../helpers/limits/held-tree.ts"

let engine: LimitedEngine
let tree: HeldTree

beforeAll(async () => {
  engine = await startLimitedEngine(lowLimits)
})
afterAll(() => engine.stop())
afterEach(() => tree.close())

/** What each turn of the held model reports. */
const tokensPerTurn = 1_500
const microUsdPerTurn = 500 * 2 + 1_000 * 4
const prices = { main: { inputPerMTok: 2, outputPerMTok: 4 } }
const childrenPerRound = 3

const open = async (): Promise<void> => {
  tree = await openHeldTree(engine.address, {
    prices,
    agents: { general: { delegation: "sessions", maxSteps: 200 } },
    subagents: { maxConcurrent: 0, maxChildrenPerAgent: childrenPerRound },
    timing: { maxHistoryEvents: 300 },
  })
}

const spawnRound = async (parent: string): Promise<readonly string[]> => {
  const children: string[] = []
  for (let index = 0; index < childrenPerRound; index += 1)
    children.push(await tree.spawn(parent, `child ${index} of the round`))
  for (const child of children) await tree.untilAsked(child)
  return children
}

/** Gives each session quick calls until it has continued as new. */
const untilContinuedAsNew = async (ids: readonly string[]): Promise<void> => {
  await Promise.all(
    ids.map(async (id) => {
      const execution = await tree.executionOf(id)
      await tree.keepBusy(id, async () => (await tree.executionOf(id)) !== execution)
      await tree.untilAsked(id)
    }),
  )
}

const usedBy = async (id: string) => {
  const { limits } = await tree.harness.client.info(id)
  return { tokens: limits?.budget_tokens.used, usd: limits?.budget_usd.used }
}

const turnsOf = (ids: readonly string[]): number =>
  tree.model.calls.filter(({ sessionId }) => ids.includes(sessionId)).length

describe("the budget of a tree on an engine with small limits", () => {
  it("counts each step of the tree once while parent and children continue as new", async () => {
    await open()
    const parent = await tree.start({ budget_tokens: 50_000_000, budget_usd: 500 })
    const members = [parent]
    for (let round = 0; round < 2; round += 1) {
      const children = await spawnRound(parent)
      members.push(...children)
      await untilContinuedAsNew(children)
      await Promise.all(children.map((child) => tree.sayToTheEnd(child, "done")))
      await untilContinuedAsNew([parent])
    }
    await tree.sayToTheEnd(parent, "all done")
    const turns = turnsOf(members)
    expect(turns).toBeGreaterThan(members.length * 3)
    expect(await usedBy(parent)).toEqual({
      tokens: turns * tokensPerTurn,
      usd: expect.closeTo((turns * microUsdPerTurn) / 1_000_000, 6),
    })
  })

  it("that is used up pauses the run, and a larger one continues it in a later execution", async () => {
    await open()
    const parent = await tree.start({
      budget_tokens: 30_000,
      max_steps: 256,
      pause_on_approval: true,
      allowed_tools: ["LS"],
    })
    await tree.keepBusy(parent, async () => (await tree.harness.client.info(parent)).status === "paused")
    const before = turnsOf([parent])
    const limits = { budget_tokens: 400_000 }
    const { actor } = tree
    await tree.harness.client.send({ sessionId: parent, text: "Continue.", type: "message", limits, actor })
    await tree.untilAsked(parent)
    await untilContinuedAsNew([parent])
    expect(turnsOf([parent])).toBeGreaterThan(before)
    await tree.harness.client.cancel(parent, actor)
    await tree.untilStatus(parent, "cancelled")
    await eventually(async () => ((await usedBy(parent)).tokens ?? 0) >= before * tokensPerTurn)
  })
})
