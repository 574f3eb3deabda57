import { isDeepStrictEqual } from "node:util"
import { expect, it } from "vitest"
import { newSessionId } from "../../../sessions/session-id.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"
import { treatAsSubAgents } from "../../helpers/engine/lane-harness.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createHeldModel } from "../../helpers/models/held-model.ts"
import { createAwayStore, type Failure, type StoreCall } from "../../helpers/store/away-store.ts"
import { sessionIdOf } from "../../../domain/engine/engine-names.ts"
import { isFinal } from "../../../domain/run/is-final.ts"

// The activities of sub-agents that queue for a slot, and of a call that is stopped by the store.

const actor = { by: "ana", via: "cli" }
/** More failures than a record has tries in its workflow task. */
const timesInARow = 3
/** More than the methods of the store that one of the activities calls. */
const queuedSessions = 8

/** Returns the decisions: the nth session fails at the nth method that it calls in `activity`, in the order of its first calls. */
const createFailures = (activity: string, failure: Failure) => {
  const ids: string[] = []
  const methodsOf = new Map<string, string[]>()
  const counts = new Map<string, number>()
  const decide = (call: StoreCall): Failure => {
    const id = sessionIdOf(call.workflowId) ?? ""
    if (call.activity !== activity || !ids.includes(id)) return undefined
    const methods = methodsOf.get(id) ?? []
    if (!methods.includes(call.method)) methods.push(call.method)
    methodsOf.set(id, methods)
    const failed = counts.get(id) ?? 0
    if (methods.indexOf(call.method) !== ids.indexOf(id) || failed === timesInARow) return undefined
    counts.set(id, failed + 1)
    return failure
  }
  return {
    decide,
    add: (id: string): void => void ids.push(id),
    /** Returns how often each session failed, and how many methods there were. */
    counts: () => ids.map((id) => counts.get(id) ?? 0),
    methods: () => Math.max(...ids.map((id) => methodsOf.get(id)?.length ?? 0)),
  }
}

const statusOf = async ({ store }: Harness, id: string) => (await store.sessions.get(id))?.status ?? "unknown"

it.each(["before", "after"] as const)(
  "a store that is away, %s the call takes effect, while sub-agents queue and while one is stopped, loses none of them",
  async (failure) => {
    const queueing = createFailures("showQueued", failure)
    const stopping = createFailures("requestStop", failure)
    const model = createHeldModel()
    const harness = await openHarness({
      model: model.provider,
      config: { subagents: { maxConcurrent: 1 }, timing: { liveness: "cluster" } },
      workerStore: (store) =>
        createAwayStore(treatAsSubAgents(store), (call) => queueing.decide(call) ?? stopping.decide(call)),
    })
    try {
      const first = await harness.start({ prompt: "HOLDER" })
      stopping.add(first)
      await eventually(() => model.isWaiting(first))
      const queued: string[] = []
      for (let count = 0; count < queuedSessions; count += 1) {
        const id = newSessionId(12)
        queueing.add(id)
        queued.push(await harness.start({ sessionId: id, prompt: `QUEUED ${count}` }))
      }
      const isShown = async (): Promise<boolean> =>
        (await Promise.all(queued.map((id) => harness.store.sessions.get(id)))).every(
          (row) => row?.status === "pending" && row.blockedBy?.type === "lane",
        )
      // Each method fails in one session; the sessions beyond them have nothing to fail at.
      const failuresOf = () => queued.map((_, index) => (index < queueing.methods() ? timesInARow : 0))
      await eventually(async () => (await isShown()) && isDeepStrictEqual(queueing.counts(), failuresOf()))
      expect(queueing.methods()).toBeGreaterThan(2)
      expect(queueing.methods()).toBeLessThan(queuedSessions)
      expect(model.calls).toHaveLength(1)

      await harness.client.cancel(first, actor)
      await eventually(async () => {
        for (const id of queued) if (model.isWaiting(id)) model.reply(id, { text: "done" })
        return (await Promise.all(queued.map((id) => statusOf(harness, id)))).every(isFinalText)
      })
      // A request that took effect ends the session, whether or not it was answered.
      expect(stopping.counts()[0]).toBeGreaterThan(0)
      expect(await statusOf(harness, first)).toBe("cancelled")
      expect(await Promise.all(queued.map((id) => statusOf(harness, id)))).toEqual(queued.map(() => "completed"))
      expect(model.calls.map(({ sessionId }) => sessionId)).toEqual([first, ...queued])
    } finally {
      await harness.close()
    }
  },
)

const isFinalText = (status: Awaited<ReturnType<typeof statusOf>>): boolean => status !== "unknown" && isFinal(status)
