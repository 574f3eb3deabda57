import { describe, expect, it } from "vitest"
import type { ClientTiming } from "../../../sessions/sessions-timing.ts"
import { actor, clientFixture, request } from "./client-fixture.ts"

const quick: Partial<ClientTiming> = { startGraceMs: 0, missingConfirmMs: 0, outageToleranceMs: 60_000 }

/** A paused session whose execution the engine has lost. */
const lostSession = async (timing: Partial<ClientTiming> = {}) => {
  const fixture = await clientFixture({ timing: { ...quick, ...timing } })
  const { sessionId, runId } = await fixture.client.start(request)
  const { checkpointId } = await fixture.pause(sessionId)
  fixture.temporal.executions.clear()
  return { ...fixture, sessionId, runId, checkpointId }
}

const decide = { all: { action: "accept" }, unlisted: "reject", actor } as const

describe("a session that Temporal does not know", () => {
  it("is ended for those who wait when it was missed twice", async () => {
    const { another, store, sessionId, runId } = await lostSession()
    const patient = another({ missingConfirmMs: 60_000 })
    expect(await patient.wait(sessionId, { timeoutSeconds: 0 })).toMatchObject({ outcome: "paused" })
    expect(await store.missing.get(sessionId)).toMatchObject({ runId })
    expect(await store.sessions.get(sessionId)).toMatchObject({ status: "paused" })
    expect(await another().wait(sessionId)).toMatchObject({ outcome: "failed", stop_reason: "terminated" })
  })

  it("is no longer missed once it was found again", async () => {
    const { another, temporal, store, sessionId } = await lostSession()
    const patient = another({ missingConfirmMs: 60_000 })
    await patient.wait(sessionId, { timeoutSeconds: 0 })
    const other = await another().start({ ...request, sessionId: "other1" })
    temporal.executions.set(`subagent/${sessionId}`, temporal.execution(other.sessionId))
    await patient.wait(sessionId, { timeoutSeconds: 0 })
    expect(await store.missing.get(sessionId)).toBeUndefined()
  })

  it("accepts no message and no decision until it is known or counts as lost", async () => {
    const { another, store, temporal, sessionId } = await lostSession()
    const patient = another({ missingConfirmMs: 60_000 })
    const send = { sessionId, text: "continue", type: "follow_up", actor } as const
    await expect(patient.send(send)).rejects.toMatchObject({ code: "session_missing" })
    await expect(patient.decide({ sessionId, ...decide })).rejects.toMatchObject({ code: "session_missing" })
    expect(temporal.executions.size).toBe(0)
    expect(await store.sessions.get(sessionId)).toMatchObject({ status: "paused" })
    expect(await another().send(send)).toMatchObject({ state: "accepted" })
    expect(temporal.execution(sessionId).signals).toHaveLength(1)
  })

  it("is not ended if too many sessions are missing at once", async () => {
    const { client, another, store, temporal, sessionId } = await lostSession()
    for (let count = 0; count < 5; count += 1) {
      const { sessionId: id } = await client.start(request)
      await store.sessions.patch(id, { status: "running" })
      temporal.executions.clear()
      await another({ missingConfirmMs: 60_000 }).wait(id, { timeoutSeconds: 0 })
    }
    await another({ missingConfirmMs: 60_000 }).wait(sessionId, { timeoutSeconds: 0 })
    await expect(another({ outageToleranceMs: 0 }).wait(sessionId)).rejects.toMatchObject({
      code: "session_missing",
      message: expect.stringContaining("6 of the 6 open sessions"),
    })
    expect(await store.sessions.get(sessionId)).toMatchObject({ status: "paused" })
  })

  it("is not ended by an execution that closed before its run was created", async () => {
    const { another, store, temporal, sessionId } = await lostSession()
    await another().start({ ...request, sessionId: "other1" })
    const earlier = { ...temporal.execution("other1"), status: "COMPLETED" as const, closeTime: new Date(0) }
    temporal.executions.set(`subagent/${sessionId}`, earlier)
    const patient = another({ missingConfirmMs: 60_000 })
    expect(await patient.info(sessionId)).toMatchObject({ status: "paused", engine_state: "not_found" })
    await patient.wait(sessionId, { timeoutSeconds: 0 })
    expect(await store.sessions.get(sessionId)).toMatchObject({ status: "paused" })
    expect(await store.missing.get(sessionId)).toBeDefined()
  })
})

describe("a client that connects to another Temporal server", () => {
  /** The server at the client's address was replaced by one that knows no session. */
  const replaced = async () => {
    const fixture = await lostSession()
    fixture.temporal.namespaceId = "namespace-2"
    return fixture
  }

  it("records nothing for those who wait, and gives the reason if that lasts", async () => {
    const { another, store, sessionId } = await replaced()
    await expect(another({ outageToleranceMs: 0 }).wait(sessionId)).rejects.toMatchObject({ code: "engine_mismatch" })
    expect(await store.missing.get(sessionId)).toBeUndefined()
    expect(await store.sessions.get(sessionId)).toMatchObject({ status: "paused" })
  })

  it("does not start, send, decide, cancel or delete", async () => {
    const { another, store, temporal, sessionId } = await replaced()
    const client = another()
    const refused = { code: "engine_mismatch" }
    await expect(client.start(request)).rejects.toMatchObject(refused)
    await expect(client.send({ sessionId, text: "continue", type: "follow_up", actor })).rejects.toMatchObject(refused)
    await expect(client.decide({ sessionId, ...decide })).rejects.toMatchObject(refused)
    await expect(client.cancel(sessionId, actor)).rejects.toMatchObject(refused)
    await expect(client.delete(sessionId, actor)).rejects.toMatchObject(refused)
    expect(temporal.executions.size).toBe(0)
    expect(await store.sessions.get(sessionId)).toMatchObject({ status: "paused", deletedAt: null })
    expect((await store.sessions.list({})).items).toHaveLength(1)
  })

  it("notices within the configured time that the server was replaced", async () => {
    const { client, another, temporal } = await clientFixture()
    await client.start(request)
    temporal.namespaceId = "namespace-2"
    await expect(another().start(request)).rejects.toMatchObject({ code: "engine_mismatch" })
    temporal.namespaceId = "namespace-1"
    expect(await another().start(request)).toMatchObject({ runId: expect.any(String) })
  })
})
