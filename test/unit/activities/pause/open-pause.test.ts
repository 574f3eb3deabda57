import { MockActivityEnvironment } from "@temporalio/testing"
import { expect, it } from "vitest"
import type { AgentDependencies } from "../../../../activities/agent-dependencies.ts"
import { createOpenPause } from "../../../../activities/pause/open-pause.ts"
import type { OpenedPause, OpenPauseInput } from "../../../../activities/contract/agent-activities.ts"
import type { PauseRow } from "../../../../store/store.ts"
import { storeWithSession } from "../../store/store-fixture.ts"

const bitCount = 144
const pauses = 200

/** Opens a pause in a store that is empty, and returns its checkpoint. */
const openCheckpoint = async (): Promise<string> => {
  const store = {
    messages: { get: async () => undefined, putAll: async () => undefined, isEnd: async () => false },
    callPreviews: { read: async () => [] },
    callEdits: { get: async () => undefined },
    events: { append: async () => undefined },
    transaction: async (write: (writes: object) => Promise<void>) => write(store),
    pauses: {
      open: async (wanted: PauseRow) => ({ ...wanted, openedAt: "", closedAt: null }),
      current: async () => undefined,
    },
  }
  const deps = { store, announcer: { paused: async () => [] }, redact: (text: string) => text }
  const input = {
    ...{ sessionId: "s1", runId: "r1", ordinal: 1, type: "input_required", notice: "Which color?", headSeq: 1 },
    ...{ stepsTaken: 1, assistantSeq: 1, callIds: [], append: [], outbox: { events: [] }, spending: {} },
  }
  const openPause = createOpenPause(deps as unknown as AgentDependencies)
  const open = () => openPause(input as unknown as OpenPauseInput)
  const { checkpointId } = await new MockActivityEnvironment().run<[], OpenedPause, typeof open>(open)
  return checkpointId
}

/** Returns what follows the prefix as bits. */
const bitsOf = (checkpoint: string): string =>
  [...Buffer.from(checkpoint.slice("cp_".length), "base64url")]
    .map((byte) => byte.toString(2).padStart(8, "0"))
    .join("")

// docs/security.md: a caller who names a checkpoint reaches its session, so nobody may be able to guess one.
it("gives each pause a checkpoint with 144 random bits", async () => {
  const checkpoints = await Promise.all(Array.from({ length: pauses }, openCheckpoint))
  const bits = checkpoints.map(bitsOf)
  expect(new Set(bits.map(({ length }) => length))).toEqual(new Set([bitCount]))
  const ones = Array.from({ length: bitCount }, (_, place) => bits.filter((all) => all[place] === "1").length)
  // A random bit has both values often: less than 20 times in 200 is a chance of 1 in 10^33.
  expect(ones.filter((count) => count < 20 || count > pauses - 20)).toEqual([])
})

it("opens another pause for another question, after a reset to before the first one", async () => {
  const store = await storeWithSession()
  const deps = { store, announcer: { paused: async () => [] }, redact: (text: string) => text }
  const openPause = createOpenPause(deps as unknown as AgentDependencies)
  const ask = (notice: string) => {
    const input = {
      ...{ sessionId: "s1", runId: "r1", ordinal: 1, type: "input_required", notice, headSeq: 1 },
      ...{ stepsTaken: 1, assistantSeq: 1, callIds: [], append: [], outbox: { events: [] }, spending: {} },
    }
    const open = () => openPause(input as unknown as OpenPauseInput)
    return new MockActivityEnvironment().run<[], OpenedPause, typeof open>(open)
  }
  const first = await ask("Which card?")
  expect(await ask("Which card?")).toEqual(first)
  const second = await ask("Which account?")
  expect(second.message).toBe("Which account?")
  expect(second.checkpointId).not.toBe(first.checkpointId)
  expect(await store.pauses.current("s1")).toMatchObject({
    checkpointId: second.checkpointId,
    message: "Which account?",
  })
})
