import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { engineLimits, type LimitedEngine, startLimitedEngine } from "../helpers/engine/limited-engine.ts"
import { type HeldTree, openHeldTree } from "../helpers/limits/held-tree.ts"

const maxHistoryEvents = 150

let engine: LimitedEngine
let tree: HeldTree

beforeAll(async () => {
  engine = await startLimitedEngine({
    [engineLimits.suggestContinueAsNewEvents]: 40,
    [engineLimits.historyEvents]: 500,
  })
})
afterAll(() => engine.stop())
afterEach(() => tree.close())

describe("a parent whose history is full while a child runs", () => {
  it("makes no model call until the child has ended, and then continues as new", async () => {
    tree = await openHeldTree(engine.address, { timing: { maxHistoryEvents } })
    const parent = await tree.start()
    const child = await tree.spawn(parent, "runs")
    await tree.untilAsked(child)
    const execution = await tree.executionOf(parent)
    await tree.keepBusy(parent, async () => (await tree.detailsOf(parent)).includes("the history is full"))
    expect(await tree.lengthOf(parent)).toBeLessThan(maxHistoryEvents + 40)
    expect(tree.model.isWaiting(parent)).toBe(false)

    await tree.harness.client.send({ sessionId: parent, text: "Hurry.", type: "steering", actor: tree.actor })
    await tree.work()
    expect(tree.model.isWaiting(parent)).toBe(false)
    expect(await tree.executionOf(parent)).toBe(execution)

    tree.say(child, { text: "done" })
    await tree.untilAsked(parent)
    expect(await tree.executionOf(parent)).not.toBe(execution)
    await tree.sayToTheEnd(parent, "all done")
  })
})
