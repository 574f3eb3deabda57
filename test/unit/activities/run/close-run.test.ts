import { MockActivityEnvironment } from "@temporalio/testing"
import { describe, expect, it } from "vitest"
import { createCloseRun } from "../../../../activities/run/close-run.ts"
import type { CloseRunInput } from "../../../../activities/contract/agent-activities.ts"
import type { Message } from "../../../../contracts/message.ts"
import { wrapStore } from "../../../helpers/store/wrap-store.ts"
import { clientFixture, request } from "../../client/client-fixture.ts"
import { assistantMessage, newSession, usageEntry } from "../../store/store-fixture.ts"

type CloseDependencies = Parameters<typeof createCloseRun>[0]

const runningSession = async () => {
  const fixture = await clientFixture()
  const { sessionId, runId } = await fixture.client.start(request)
  await fixture.store.sessions.patch(sessionId, { status: "running" })
  const input: CloseRunInput = {
    sessionId,
    runId,
    snapshotHash: "unused",
    stopReason: "completed",
    error: null,
    headSeq: 0,
    partialSeq: 1,
    stepsTaken: 1,
    sessionSteps: 1,
    append: [],
    nextRunId: null,
    hasBackground: false,
    finish: null,
    outbox: { events: [] },
    spending: { ranMs: 0, childrenMicroUsd: 0, childrenTokens: 0 },
  }
  const recorded = async () => {
    const { events } = await fixture.store.events.read(sessionId, { after: 0, limit: 100 })
    const run = await fixture.store.runs.get(runId)
    const session = await fixture.store.sessions.get(sessionId)
    return {
      endings: events.filter(({ type }) => type === "run-finished").length,
      run: run?.status,
      session: session?.status,
    }
  }
  return { ...fixture, input, recorded }
}

const here = { name: "here", identify: async () => null }

const closeWith = (store: CloseDependencies["store"]) =>
  createCloseRun({
    store,
    announcer: {
      finished: async () => [],
      childFinished: async () => [],
      paused: async () => [],
      said: async () => [],
    },
    sandboxFor: () => Promise.reject(new Error("not asked")),
    logger: undefined as unknown as CloseDependencies["logger"],
    machine: here,
    temporal: undefined as unknown as CloseDependencies["temporal"],
    findElsewhere: async () => undefined,
  })

describe("closeRun", () => {
  it.each(["events.append", "runs.patchWithSession", "dailyUsage.releaseRun"])(
    "records a run's end completely or not at all if %s fails, and then once",
    async (failing) => {
      const { store, input, recorded } = await runningSession()
      let failures = 0
      const faulty = wrapStore(store, (method, _args, call) => {
        if (method !== failing) return call()
        failures += 1
        return Promise.reject(new Error("no space left"))
      })
      await expect(closeWith(faulty)(input)).rejects.toThrow("no space left")
      expect(failures).toBe(1)
      expect(await recorded()).toEqual({ endings: 0, run: "pending", session: "running" })
      await closeWith(store)(input)
      await closeWith(store)(input)
      expect(await recorded()).toEqual({ endings: 1, run: "completed", session: "completed" })
    },
  )

  it("counts what a sub-agent used that ended before its parent was reset", async () => {
    const { store, input } = await runningSession()
    const { sessionId, runId } = input
    await store.sessions.create(newSession("child", { parentId: sessionId, rootId: sessionId, depth: 1 }))
    await store.runs.create({ runId: "of the child", sessionId: "child", snapshotHash: "unused" })
    const below = { ranMs: 0, childrenMicroUsd: 7, childrenTokens: 20 }
    await store.runs.patch("of the child", { status: "completed", spending: below })
    await store.usage.put(usageEntry({ sessionId: "child", runId: "of the child" }))
    await store.events.append(sessionId, [{ type: "child-finished", runId, data: { child_run_id: "of the child" } }])
    // What a person created below it uses no budget of it.
    const byHand = { parentId: sessionId, rootId: sessionId, depth: 1, internal: { by_hand: true } }
    await store.sessions.create(newSession("by hand", byHand))
    await store.runs.create({ runId: "of a person", sessionId: "by hand", snapshotHash: "unused" })
    await store.usage.put(usageEntry({ sessionId: "by hand", runId: "of a person" }))
    await store.events.append(sessionId, [{ type: "child-finished", runId, data: { child_run_id: "of a person" } }])
    const close = (scheduledTimestampMs: number, stepsTaken: number) =>
      new MockActivityEnvironment({ scheduledTimestampMs }).run(closeWith(store), { ...input, stepsTaken })

    await close(Date.now(), 1)
    expect((await store.runs.get(runId))?.spending).toMatchObject({ childrenTokens: 0 })
    // The workflow of the run that was reset to its start knows of no sub-agent.
    await close(Date.now() + 60_000, 2)
    const run = await store.runs.get(runId)
    expect(run).toMatchObject({ reopened: 1, spending: { childrenTokens: 18 + 20, childrenMicroUsd: 100 + 7 } })
  })

  it("leaves the next run as it is if it is repeated after that has begun", async () => {
    const { store, input, recorded } = await runningSession()
    const next = { ...input, nextRunId: "next" }
    await closeWith(store)(next)
    await store.runs.create({ runId: "next", sessionId: input.sessionId, snapshotHash: "unused" })
    await store.sessions.patch(input.sessionId, { status: "running", runId: "next" })
    await closeWith(store)(next)
    expect(await recorded()).toMatchObject({ endings: 1, run: "completed", session: "running" })
  })

  it("keeps what a cancelled call has written as its result: a tool's row, or the answer of an agent without a model", async () => {
    const { store, input } = await runningSession()
    const { sessionId, runId } = input
    const skipped = { outcome: "skipped", content: "not run: the run ended before it started" } as const
    const written: readonly Message[] = [
      { role: "tool", call_id: "c1", name: "Bash", outcome: "error", content: "cancelled while it ran" },
      assistantMessage("half of the answer"),
    ]
    const rows = written.map((message, index) => ({ seq: index + 2, runId, step: 0, fence: 0, message }))
    for (const row of rows) await store.messages.put(sessionId, row)
    const append = [2, 3, 4].map((seq) => ({ kind: "result", seq, callId: "c1", name: "Bash", ...skipped }) as const)
    const ended: CloseRunInput = { ...input, stopReason: "cancelled", headSeq: 4, partialSeq: 5, append }
    await new MockActivityEnvironment().run(closeWith(store), ended)
    const kept = await store.messages.read(sessionId, { fromSeq: 2, headSeq: 4 })
    expect(kept.map(({ message }) => message)).toMatchObject([...written, { role: "tool", ...skipped }])
  })

  it("stops the run's background processes before its outcome can be read, and records the outcome even if that fails", async () => {
    const { store, input, recorded } = await runningSession()
    const warnings: unknown[] = []
    let before: unknown
    const close = createCloseRun({
      store,
      announcer: {
        finished: async () => [],
        childFinished: async () => [],
        paused: async () => [],
        said: async () => [],
      },
      temporal: undefined as unknown as CloseDependencies["temporal"],
      sandboxFor: async () => {
        before = await recorded()
        throw new Error("no sandbox")
      },
      logger: { warn: (detail: unknown) => void warnings.push(detail) } as unknown as CloseDependencies["logger"],
      machine: here,
      findElsewhere: async () => undefined,
    })
    await close({ ...input, hasBackground: true })
    expect(before).toEqual({ endings: 0, run: "pending", session: "running" })
    expect(warnings).toEqual([{ err: new Error("no sandbox") }])
    expect(await recorded()).toEqual({ endings: 1, run: "completed", session: "completed" })
  })
})
