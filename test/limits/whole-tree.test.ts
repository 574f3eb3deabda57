import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { type LimitedEngine, lowLimits, startLimitedEngine } from "../helpers/engine/limited-engine.ts"
import { type HeldTree, openHeldTree } from "../helpers/limits/held-tree.ts"

let engine: LimitedEngine
let tree: HeldTree

beforeAll(async () => {
  engine = await startLimitedEngine(lowLimits)
})
afterAll(() => engine.stop())
afterEach(() => tree.close())

const writing = (file_path: string) => ["Write", { file_path, content: "x" }] as const

/** Of three children in a lane of one, the first is paused, the second runs and the third is queued. */
const spawnInEveryState = async (parent: string) => {
  const paused = await tree.spawn(parent, "pauses")
  await tree.untilAsked(paused)
  tree.say(paused, { calls: [writing("child.txt")] })
  await tree.untilStatus(paused, "paused")
  const running = await tree.spawn(parent, "runs")
  await tree.untilAsked(running)
  const queued = await tree.spawn(parent, "queues")
  await tree.untilStatus(queued, "pending")
  return { paused, running, queued }
}

describe("a tree on an engine with small limits", () => {
  it("runs to its end, with children that run, pause and queue, and with steering", async () => {
    tree = await openHeldTree(engine.address, { timing: { maxHistoryEvents: 300, laneMaxSignals: 15 } })
    const parent = await tree.start()
    const { paused, running, queued } = await spawnInEveryState(parent)
    await tree.harness.client.send({ sessionId: parent, text: "Be brief.", type: "steering", actor: tree.actor })
    tree.say(parent, { text: "I wait." })
    await tree.harness.client.decide({
      sessionId: paused,
      all: { action: "accept" },
      unlisted: "pending",
      actor: tree.actor,
    })
    await Promise.all([running, paused, queued].map((id) => tree.sayToTheEnd(id, `${id} is done`)))
    await tree.sayToTheEnd(parent, "all done")
    expect((await tree.harness.client.info(parent)).status).toBe("completed")
  })

  it("ends as a whole when it is cancelled", async () => {
    tree = await openHeldTree(engine.address, { timing: { maxHistoryEvents: 300, laneMaxSignals: 15 } })
    const parent = await tree.start()
    const children = await spawnInEveryState(parent)
    await tree.harness.client.cancel(parent, tree.actor)
    for (const id of [parent, ...Object.values(children)]) await tree.untilStatus(id, "cancelled")
  })
})
