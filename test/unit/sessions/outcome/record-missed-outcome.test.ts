import { describe, expect, it } from "vitest"
import type { AssistantMessage } from "../../../../contracts/message.ts"
import { recordMissedOutcome } from "../../../../sessions/outcome/record-missed-outcome.ts"
import type { Store } from "../../../../store/store.ts"
import { clientFixture, request } from "../../client/client-fixture.ts"
import { assistantMessage, userMessage } from "../../store/store-fixture.ts"

const runningSession = async () => {
  const fixture = await clientFixture()
  const { sessionId, runId } = await fixture.client.start(request)
  await fixture.store.sessions.patch(sessionId, { status: "running" })
  return { ...fixture, sessionId, runId }
}

const terminated = {
  status: "failed",
  stopReason: "terminated",
  error: { code: "terminated", message: "the session was terminated" },
} as const

const endingOf = async (store: Store, sessionId: string) => {
  const { events } = await store.events.read(sessionId, { after: 0, limit: 100 })
  return events.filter(({ type }) => type === "run-finished")
}

const writeAll = async (
  store: Store,
  { sessionId, runId }: { readonly sessionId: string; readonly runId: string },
  messages: readonly Parameters<Store["messages"]["put"]>[1]["message"][],
): Promise<void> => {
  await store.messages.putAll(
    sessionId,
    messages.map((message, index) => ({ seq: index + 1, runId, step: 1, fence: 1, message })),
  )
  await store.sessions.patch(sessionId, { headSeq: messages.length })
}

const saying = (text: string, stop: AssistantMessage["stop"]) => ({ ...assistantMessage(text), stop }) as const

describe("an outcome that the execution did not record", () => {
  it("has no final message for a waiting client if the model wrote none", async () => {
    const { client, store, temporal, sessionId } = await runningSession()
    temporal.execution(sessionId).status = "TERMINATED"
    expect(await client.wait(sessionId)).toMatchObject({ outcome: "failed", stop_reason: "terminated" })
    expect(await endingOf(store, sessionId)).toMatchObject([{ status: "failed", final_message: null }])
  })

  it("has the whole of an answer that was truncated and continued", async () => {
    const { client, store, temporal, sessionId, runId } = await runningSession()
    await writeAll(store, { sessionId, runId }, [
      userMessage("Count."),
      saying("One, two, ", "max_tokens"),
      { role: "user", source: "notice", text: "Continue." },
      saying("three.", "max_tokens"),
    ])
    temporal.execution(sessionId).status = "TERMINATED"
    expect(await client.info(sessionId)).toMatchObject({ status: "failed", final_message: "One, two, three." })
    expect(await client.wait(sessionId)).toMatchObject({ partial_output: "One, two, three." })
    expect(await store.runs.get(runId)).toMatchObject({ finalMessage: "One, two, three." })
    expect(await endingOf(store, sessionId)).toMatchObject([{ final_message: "One, two, three." }])
  })

  it("counts the steps of the run, not those of the session", async () => {
    const { store, sessionId, runId } = await runningSession()
    await store.runs.patch(runId, { stepsTaken: 2 })
    await store.sessions.patch(sessionId, { stepsTaken: 7 })
    const row = await store.sessions.get(sessionId)
    if (row === undefined) throw new Error("no session")
    await recordMissedOutcome(store, row, terminated)
    await recordMissedOutcome(store, row, terminated)
    expect(await endingOf(store, sessionId)).toMatchObject([{ steps_taken: 2 }])
    expect(await store.runs.get(runId)).toMatchObject({ status: "failed", stepsTaken: 2 })
    expect(await store.sessions.get(sessionId)).toMatchObject({ status: "failed", stepsTaken: 7 })
  })
})
