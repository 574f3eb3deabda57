import { expect, test } from "vitest"
import { type EndedRun, recordOutcome } from "../../../../sessions/outcome/record-outcome.ts"
import { baseSnapshot } from "../../client/client-fixture.ts"
import { storeWithSession } from "../../store/store-fixture.ts"

test("the end of a run that a later activity records again, because the first answer was lost, is there once", async () => {
  const store = await storeWithSession()
  const scope = { sessionId: "s1", runId: "r1" }
  await store.runs.create({ ...scope, snapshotHash: await store.snapshots.put(baseSnapshot) })
  const spending = { ranMs: 0, childrenMicroUsd: 0, childrenTokens: 0 }
  const end = { status: "completed", stopReason: "completed", error: null, finalMessage: "Done." } as const
  const record = (since: number, change: Partial<EndedRun> = {}) =>
    recordOutcome(store, { ...scope, ...end, stepsTaken: 2, spending, session: end, since, ...change })
  await record(Date.now())
  const later = Date.now() + 60_000
  await record(later)
  const ends = async () =>
    (await store.events.read("s1", { after: 0, limit: 10 })).events.filter(({ type }) => type === "run-finished")
  expect(await ends()).toHaveLength(1)
  expect(await store.runs.get("r1")).toMatchObject({ reopened: 0 })
  // A run that was reset, and did more, has another end.
  await record(later, { stepsTaken: 3 })
  expect(await ends()).toHaveLength(2)
  expect(await store.runs.get("r1")).toMatchObject({ reopened: 1, stepsTaken: 3 })
})
