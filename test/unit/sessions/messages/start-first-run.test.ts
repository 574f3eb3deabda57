import { describe, expect, it } from "vitest"
import type { SendRequest } from "../../../../sessions/send-request.ts"
import { actor, clientFixture, request } from "../../client/client-fixture.ts"
import { unavailable } from "../../client/fake-temporal.ts"

describe("the first message of a session", () => {
  it("does not count the start of another message as its own", async () => {
    const { client, temporal, store } = await clientFixture({ timing: { engineTimeoutMs: 5_000 } })
    const { id: sessionId } = await client.create({ cwd: request.cwd, actor })
    const { start } = temporal.workflow
    let attempts = 0
    temporal.workflow.start = async (workflowType, options) => {
      attempts += 1
      if (attempts === 2) await start(workflowType, { ...options, args: ["of the other message"] })
      if (attempts === 1) throw unavailable()
      return await start(workflowType, options)
    }
    temporal.onUpdate = () => ({ run_id: "run_other" })
    await client.send({ sessionId, text: "Both?", type: "message", actor })
    const [update] = temporal.execution(sessionId).updates
    expect(update).toMatchObject({ name: "send", payload: { type: "message" } })
    expect(await store.inbox.get(sessionId, update?.id ?? "")).toMatchObject({ text: "Both?" })
  })

  it("queues a follow-up behind the first run of another message, and refuses a plain one", async () => {
    const { client, temporal, store } = await clientFixture()
    const { id: sessionId } = await client.create({ agent: "general", cwd: request.cwd, actor })
    const send = (type: SendRequest["type"]) => client.send({ sessionId, text: "Which one?", type, actor })
    const { runId } = await send("message")
    temporal.onUpdate = () => ({ run_id: runId })
    const get = store.sessions.get.bind(store.sessions)
    // Both looked at the session before the first message started its run.
    const looksEarly = () => {
      let isEarly = true
      store.sessions.get = async (id) => {
        const row = await get(id)
        const seen = isEarly && row !== undefined ? { ...row, runId: null, status: "pending" as const } : row
        isEarly = false
        return seen
      }
    }
    looksEarly()
    expect(await send("follow_up")).toMatchObject({ state: "applied", runId, effect: "queued" })
    looksEarly()
    await expect(send("message")).rejects.toMatchObject({ code: "session_already_running" })
  })
})
