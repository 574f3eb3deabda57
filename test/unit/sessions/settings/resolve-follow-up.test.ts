import { describe, expect, it } from "vitest"
import type { SendRequest } from "../../../../sessions/send-request.ts"
import { actor, clientFixture, request } from "../../client/client-fixture.ts"

describe("the limits of a message to a session that ended", () => {
  const endedSession = async () => {
    const fixture = await clientFixture()
    const { sessionId } = await fixture.client.start(request)
    await fixture.finish(sessionId, "completed")
    const send = (limits: SendRequest["limits"]) =>
      fixture.client.send({ sessionId, text: "And then?", type: "message", limits, actor })
    return { ...fixture, sessionId, send }
  }

  it("narrow those of the latest run, and are rejected if they are wider", async () => {
    const { send, store, finish, sessionId } = await endedSession()
    const { runId } = await send({ max_steps: 5, allowed_tools: ["Read"] })
    const run = await store.runs.get(runId)
    expect(await store.snapshots.get(run?.snapshotHash ?? "")).toMatchObject({
      limits: { maxSteps: 5 },
      tools: ["Read"],
    })
    await finish(sessionId, "completed")
    await expect(send({ max_steps: 6 })).rejects.toMatchObject({
      code: "limit_widened",
      message: expect.stringContaining("max_steps"),
    })
    await expect(send({ allowed_tools: ["Bash"] })).rejects.toMatchObject({ code: "limit_widened" })
    await expect(send({ auto_approve: true })).rejects.toMatchObject({ code: "limit_widened" })
  })

  it("contain no budget in money for a model without a price", async () => {
    const { send } = await endedSession()
    await expect(send({ model: "free", budget_usd: 1 })).rejects.toMatchObject({ code: "price_unknown" })
  })

  it("raise the one that ended it, also below a session that has had no run", async () => {
    const { client, store, finish } = await clientFixture()
    const { cwd } = request
    const parent = await client.create({ actor, cwd })
    const child = await client.create({ actor, cwd, parentId: parent.id })
    const send = (maxSteps: number) =>
      client.send({ sessionId: child.id, text: "Look.", type: "message", limits: { max_steps: maxSteps }, actor })
    await send(2)
    await store.sessions.patch(child.id, { status: "running" })
    await finish(child.id, "max_steps")
    await expect(send(3)).resolves.toMatchObject({ effect: "started" })
  })
})
