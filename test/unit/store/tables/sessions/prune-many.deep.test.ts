import { performance } from "node:perf_hooks"
import { expect, test } from "vitest"
import { pruneTasks } from "../../../../../sessions/control/prune.ts"
import { messageRow, newSession, openTestStore } from "../../store-fixture.ts"

/** A store in PostgreSQL takes longer to fill than to prune: the test of the statements is enough there. */
const sessions = 100_000
const perTransaction = 1_000
const start = Date.parse("2026-05-01T00:00:00Z")

/** An engine that knows none of the executions any more. */
const forgetful = {
  options: { namespace: "default" },
  workflowService: { deleteWorkflowExecution: () => Promise.resolve({}) },
  workflow: { async *list() {} },
}

test("100,000 sessions are erased while another writer works", { timeout: 1_800_000 }, async () => {
  let now = start
  const store = await openTestStore({ now: () => now })
  const text = "x".repeat(300)
  for (let first = 0; first < sessions; first += perTransaction)
    await store.transaction(async (writes) => {
      for (let index = first; index < first + perTransaction; index += 1) {
        const id = `s${index}`
        await writes.sessions.create(newSession(id, { title: `Task ${index}` }))
        await writes.messages.put(id, messageRow(1, text))
        await writes.events.append(id, [{ type: "run-started", runId: "r1", data: {} }])
        await writes.sessions.patch(id, { status: "completed" })
      }
    }, "crash")
  await store.sessions.create(newSession("busy"))
  now += 40 * 86_400_000

  const waits: number[] = []
  const done = new AbortController()
  const writing = (async () => {
    while (!done.signal.aborted) {
      const before = performance.now()
      await store.sessions.patch("busy", { stepsTaken: waits.length })
      waits.push(performance.now() - before)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })()
  const before = performance.now()
  let batches = 0
  const pruned = await pruneTasks(
    { store, temporal: forgetful, request: (call) => call(), onProgress: () => (batches += 1) },
    { beforeMs: now - 30 * 86_400_000, keepLabels: [] },
  )
  const took = performance.now() - before
  done.abort()
  await writing
  const sorted = waits.toSorted((left, right) => left - right)
  const at = (part: number): string => (sorted[Math.floor((sorted.length - 1) * part)] ?? 0).toFixed(1)
  console.log(
    `erased ${pruned.sessions} sessions in ${(took / 1_000).toFixed(1)} s, ${batches} batches; ${waits.length} writes of another task meanwhile took ${at(0.5)} ms (median), ${at(0.99)} ms (99 %), ${at(1)} ms (longest)`,
  )
  expect(pruned).toMatchObject({ tasks: sessions, sessions })
  expect(await store.sessions.listUnerased()).toEqual([])
  expect(await store.sessions.get("busy")).toMatchObject({ deletedAt: null })
  // No batch keeps others waiting for a substantial part of the whole time.
  expect(waits.length).toBeGreaterThan(100)
  expect(Number(at(1))).toBeLessThan(took / 20)
})
