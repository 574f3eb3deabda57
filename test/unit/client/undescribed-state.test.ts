import { describe, expect, it } from "vitest"
import { clientFixture, request } from "./client-fixture.ts"
import { unavailable } from "./fake-temporal.ts"

/** A running session whose execution is in a state that this client does not know. */
const undescribedSession = async () => {
  const fixture = await clientFixture({
    timing: { startGraceMs: 0, missingConfirmMs: 60_000, outageToleranceMs: 60_000 },
  })
  const { sessionId, runId } = await fixture.client.start(request)
  await fixture.store.sessions.patch(sessionId, { status: "running" })
  fixture.temporal.execution(sessionId).status = "UNKNOWN"
  return { ...fixture, sessionId, runId }
}

describe("a session whose state the engine cannot tell", () => {
  it("is shown as it is recorded, and not as running", async () => {
    const { client, sessionId } = await undescribedSession()
    expect(await client.info(sessionId)).toMatchObject({ status: "running", engine_state: "unknown" })
  })

  it("stays marked as missing, and open", async () => {
    const { client, store, temporal, sessionId, runId } = await undescribedSession()
    const execution = temporal.execution(sessionId)
    temporal.executions.clear()
    await client.wait(sessionId, { timeoutSeconds: 0 })
    expect(await store.missing.get(sessionId)).toMatchObject({ runId })
    temporal.executions.set(`subagent/${sessionId}`, execution)
    await client.wait(sessionId, { timeoutSeconds: 0 })
    expect(await store.missing.get(sessionId)).toMatchObject({ runId })
    expect(await store.sessions.get(sessionId)).toMatchObject({ status: "running" })
  })

  it("counts as started if the answer to its start was lost", async () => {
    const { client, temporal, store } = await clientFixture()
    temporal.after = (name) => {
      if (name !== "start") return
      for (const execution of temporal.executions.values()) execution.status = "UNKNOWN"
      throw unavailable()
    }
    temporal.before = (name) => {
      if (name === "start" && temporal.executions.size > 0) throw unavailable()
    }
    const { sessionId } = await client.start(request)
    expect(await store.sessions.get(sessionId)).toMatchObject({ status: "pending" })
  })
})
