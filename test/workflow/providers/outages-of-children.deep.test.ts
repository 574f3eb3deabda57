import { afterEach, describe, expect, it } from "vitest"
import { ModelError } from "../../../models/model-error.ts"
import { openTimersOf } from "../../helpers/engine/open-timers.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createTreeModel } from "../../helpers/limits/tree-model.ts"
import type { FakeReply } from "../../helpers/models/fake-model.ts"

let harness: Harness
afterEach(() => harness.close())

const actor = { by: "mia", via: "cli" }
const dayMs = 86_400_000
const timing = {
  ...{ modelAttempts: 1, providerRetryInitialMs: dayMs, providerRetryMaxMs: dayMs },
  // The harness waits for no provider by default.
  providerPauseSeconds: 86_400,
}
const task = ["Task", { description: "look", prompt: "leaf", subagent_type: "explore" }] as const
const done: FakeReply = { text: "done" }

/** Calls on the first turns, and then ends. */
const calls =
  (...turns: readonly (readonly [string, Record<string, unknown>])[]) =>
  (turn: number): FakeReply => {
    const call = turns[turn - 1]
    return call === undefined ? done : { calls: [call] }
  }

const firstChildOf = async (id: string): Promise<string> =>
  (await harness.client.list({ parent: id })).items[0]?.id ?? ""

/** The leaf's provider is away until `comesBack`; the leaf ends after `answers`. */
const open = async (
  delegation: "task" | "tasks" | "sessions",
  parent: (turn: number) => FakeReply | Promise<FakeReply>,
  middle: (turn: number) => FakeReply = () => done,
) => {
  let isDown = true
  const held = Promise.withResolvers<void>()
  harness = await openHarness({
    config: { timing, agents: { general: { delegation } }, subagents: { maxSpawnDepth: 3 } },
    model: createTreeModel(parent, async (prompt, turn) => {
      if (!prompt.includes("leaf")) return middle(turn)
      if (isDown) throw new ModelError("retry", "the provider answered 529: overloaded")
      if (turn === 1) return { calls: [["LS", {}]] }
      await held.promise
      return done
    }),
  })
  return { comesBack: () => (isDown = false), answers: () => held.resolve() }
}

/** Its time limit is the only timer that a session has while it waits for children. */
const hasClock = async (id: string): Promise<boolean> => (await openTimersOf(harness.handle(id))).length > 0

const untilAway = (id: string) =>
  eventually(async () => (await harness.client.info(id)).blocked_by[0]?.type === "provider_unavailable")

// The time limit of a session counted the whole outage of a provider for which its sub-agents waited.
describe("the time limit of a session whose sub-agent waits for its provider", () => {
  const waits = [
    { delegation: "task", parent: () => calls(task) },
    { delegation: "sessions", parent: () => calls(["sessions_spawn", { task: "leaf" }]) },
    {
      delegation: "tasks",
      parent: (id: () => Promise<string>) => async (turn: number) =>
        turn === 2
          ? { calls: [["wait_for_tasks", { task_ids: await firstChildOf(await id()) }] as const] }
          : calls([
              "dynamic_subagent_task",
              { description: "look", instructions: "leaf", tools: ["LS"], max_steps: 5 },
            ])(turn),
    },
  ] as const

  it.each(waits)(
    "does not count the outage, and counts again afterwards: delegation $delegation",
    async ({ delegation, parent }) => {
      const started = Promise.withResolvers<string>()
      const { comesBack, answers } = await open(
        delegation,
        parent(() => started.promise),
      )
      const id = await harness.start({ prompt: "PARENT", timeout_seconds: 300 })
      started.resolve(id)
      await eventually(async () => (await firstChildOf(id)) !== "")
      const leaf = await firstChildOf(id)
      await untilAway(leaf)
      await eventually(async () => !(await hasClock(id)))
      expect(await harness.client.info(id)).toMatchObject({ status: "running" })
      comesBack()
      await harness.client.retry(leaf, actor)
      await eventually(() => hasClock(id))
      answers()
      expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
    },
  )

  it("does not count the outage at any level above it, and counts again afterwards", async () => {
    const spawn = (prompt: string) => ["sessions_spawn", { task: prompt }] as const
    const { comesBack, answers } = await open("sessions", calls(spawn("middle")), calls(spawn("leaf")))
    const id = await harness.start({ prompt: "PARENT", timeout_seconds: 300 })
    await eventually(async () => (await firstChildOf(await firstChildOf(id))) !== "")
    const middle = await firstChildOf(id)
    const leaf = await firstChildOf(middle)
    await untilAway(leaf)
    await eventually(async () => !(await hasClock(id)) && !(await hasClock(middle)))
    comesBack()
    await harness.client.retry(leaf, actor)
    await eventually(async () => (await hasClock(id)) && (await hasClock(middle)))
    answers()
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
  })
})
