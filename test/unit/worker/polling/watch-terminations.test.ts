import { expect, it } from "vitest"
import { watchTerminations } from "../../../../worker/polling/watch-terminations.ts"
import { untilPasses } from "../../../helpers/eventually.ts"

const remembered = { claimId: "c" }

/** A watch over an engine that lists the given ended executions. */
const watched = () => {
  const ended: string[] = []
  const missing: { times: number; firstSeenAt: string }[] = []
  const state = { lists: 0, triggers: 0 }
  const options = {
    temporal: {
      workflow: {
        async *list() {
          state.lists += 1
          yield* ended.map((runId) => ({ runId }))
        },
      },
      schedule: { getHandle: () => ({ trigger: async () => void (state.triggers += 1) }) },
    },
    store: { engine: { read: async () => remembered }, missing: { list: async () => missing } },
    taskQueue: "adjutant-s1",
    missingConfirmMs: 60_000,
    everyMs: 1,
    logger: { warn: () => undefined },
  }
  const stop = watchTerminations(options as never)
  const looks = (count: number) => {
    const until = state.lists + count
    return untilPasses(() => expect(state.lists).toBeGreaterThanOrEqual(until))
  }
  return { ended, missing, state, stop, looks }
}

it("starts a pass once for an execution that has ended, and none for executions that had ended before", async () => {
  const { ended, state, stop, looks } = watched()
  ended.push("before")
  await looks(3)
  const triggersBefore = state.triggers
  ended.push("now")
  await untilPasses(() => expect(state.triggers).toBe(triggersBefore + 1))
  await looks(3)
  expect(state.triggers).toBe(triggersBefore + 1)
  stop()
})

it("starts a pass for a session that was missed once, when it is time to check again", async () => {
  const { missing, state, stop, looks } = watched()
  missing.push({ times: 1, firstSeenAt: new Date().toISOString() })
  await looks(3)
  expect(state.triggers).toBe(0)
  missing.push({ times: 1, firstSeenAt: new Date(Date.now() - 61_000).toISOString() })
  await untilPasses(() => expect(state.triggers).toBeGreaterThan(0))
  stop()
})
