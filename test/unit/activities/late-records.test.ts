import { MockActivityEnvironment } from "@temporalio/testing"
import { expect, test } from "vitest"
import type { AgentDependencies } from "../../../activities/agent-dependencies.ts"
import { createShowWaiting } from "../../../activities/delegation/show-waiting.ts"
import { createLaneActivities } from "../../../activities/lane/lane-slots.ts"
import { createOpenPause } from "../../../activities/pause/open-pause.ts"
import { createOpenRun } from "../../../activities/run/open-run.ts"
import { writeOutbox } from "../../../activities/transcript/write-outbox.ts"
import type { Store } from "../../../store/store.ts"
import { wrapStore } from "../../helpers/store/wrap-store.ts"
import { createAssistantMessage } from "../../helpers/providers/model-request.ts"
import { baseSnapshot } from "../client/client-fixture.ts"
import { storeWithSession } from "../store/store-fixture.ts"

// A worker can be suspended between two statements of a record: when it wakes, it must not move the row of its session back.

const scope = { sessionId: "s1", runId: "r1" }
const spending = { ranMs: 0, childrenMicroUsd: 0, childrenTokens: 0 }
const answer = createAssistantMessage([{ type: "text", text: "Done." }])

const openSession = async () => {
  const store = await storeWithSession()
  const snapshotHash = await store.snapshots.put(baseSnapshot)
  await store.runs.create({ ...scope, snapshotHash })
  await store.sessions.patch("s1", { runId: "r1" })
  return { store, snapshotHash }
}

const depsOf = (store: Store): AgentDependencies =>
  ({
    store,
    liveness: "embedded",
    announcer: { paused: async () => [] },
    redact: (text: string) => text,
    directoryProblem: async () => undefined,
    findElsewhere: async () => undefined,
  }) as unknown as AgentDependencies

type Write = (deps: AgentDependencies, snapshotHash: string) => Promise<unknown>

const records: Readonly<Record<string, Write>> = {
  openRun: (deps, snapshotHash) =>
    createOpenRun(
      { ...deps, findElsewhere: async () => undefined },
      async () => baseSnapshot,
    )({
      ...{ ...scope, snapshotHash, alreadyOpen: false, isNew: true },
    }),
  openPause: (deps, snapshotHash) =>
    createOpenPause(deps)({
      ...{ ...scope, snapshotHash, ordinal: 1, type: "input_required", notice: "Which?", headSeq: 1, stepsTaken: 1 },
      ...{ assistantSeq: 1, callIds: [], append: [], outbox: { events: [] }, spending },
    }),
  showQueued: (deps, snapshotHash) =>
    createLaneActivities(deps).showQueued({ ...scope, snapshotHash, outbox: { events: [] } }),
  showWaiting: ({ store }) => createShowWaiting(store)({ ...scope, paused: true }),
}

const patches: readonly string[] = ["runs.patch", "sessions.patch", "runs.patchWithSession", "transaction"]

test.each(Object.entries(records))(
  "%s does not change a session whose run has ended before its last write",
  async (_name, record) => {
    const { store, snapshotHash } = await openSession()
    const held = wrapStore(store, async (method, _args, call) => {
      const isFirst = (await store.runs.get("r1"))?.status !== "completed"
      if (patches.includes(method) && isFirst) {
        await store.messages.put("s1", { seq: 3, runId: "r1", step: 2, fence: Date.now() * 1_000 + 1, message: answer })
        const session = { status: "completed", finalMessage: "Done.", headSeq: 3 } as const
        await store.runs.patchWithSession({ ...scope, run: { status: "completed", stopReason: "completed" }, session })
      }
      return await call()
    })
    await new MockActivityEnvironment({ scheduledTimestampMs: 1_000 }).run(() => record(depsOf(held), snapshotHash))
    expect(await store.sessions.get("s1")).toMatchObject({ status: "completed", finalMessage: "Done.", headSeq: 3 })
    expect(await store.runs.get("r1")).toMatchObject({ status: "completed" })
    expect(await store.pauses.current("s1")).toBeUndefined()
  },
)

test("a pause that comes after later rows of its run moves the end of the transcript not back", async () => {
  const { store, snapshotHash } = await openSession()
  await store.messages.put("s1", { seq: 3, runId: "r1", step: 2, fence: Date.now() * 1_000, message: answer })
  await store.runs.patchWithSession({
    ...scope,
    run: { status: "running" },
    session: { status: "running", headSeq: 3 },
  })
  await new MockActivityEnvironment({ scheduledTimestampMs: 1_000 }).run(async () =>
    records["openPause"]?.(depsOf(store), snapshotHash),
  )
  expect(await store.sessions.get("s1")).toMatchObject({ status: "running", headSeq: 3 })
})

test("the reports of an attempt that comes after the end of its run do not show the session as running", async () => {
  const { store, snapshotHash } = await openSession()
  await store.runs.patch("r1", { status: "cancelled", stopReason: "cancelled" })
  await store.sessions.patch("s1", { status: "cancelled" })
  await writeOutbox(store, { ...scope, snapshotHash }, { events: [], leftQueue: true })
  expect((await store.sessions.get("s1"))?.status).toBe("cancelled")
})
