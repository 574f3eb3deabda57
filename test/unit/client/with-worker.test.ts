import { describe, expect, it } from "vitest"
import type { AdjutantClient } from "../../../client/create-client.ts"
import { withWorker } from "../../../client/with-worker.ts"
import { requireSession } from "../../../sessions/rows/require-session.ts"
import { actor, clientFixture, request } from "./client-fixture.ts"

/** A client that cannot get a worker, and a session that waits for a decision. */
const pausedWithoutWorker = async () => {
  const fixture = await clientFixture()
  const { sessionId } = await fixture.client.start(request)
  await fixture.pause(sessionId)
  const client = withWorker(fixture.client, {
    requireWorker: () => Promise.reject(new Error("no worker")),
    requireSession: (id) => requireSession(fixture.store, id),
  })
  return { client, sessionId }
}

const { prompt: text, cwd } = request
const spawned = { tool: "Task", input: { description: "Count", prompt: text, subagent_type: "general" } } as const

const working: Readonly<Record<string, (client: AdjutantClient, sessionId: string) => Promise<unknown>>> = {
  start: (client) => client.start(request),
  startTask: (client) => client.startTask({ text, cwd, actor }),
  spawn: (client) => client.spawn({ call: spawned, caller: "ana", cwd, actor }),
  send: (client, sessionId) => client.send({ sessionId, type: "message", text, actor }),
  decide: (client, sessionId) => client.decide({ sessionId, all: { action: "accept" }, unlisted: "pending", actor }),
  decideByLink: (client) => client.decideByLink("link", { action: "accept" }),
  cancel: (client, sessionId) => client.cancel(sessionId, actor),
  retry: (client, sessionId) => client.retry(sessionId, actor),
}

describe("a client with a worker", () => {
  it.each(Object.entries(working))("requires it for %s", async (_, act) => {
    const { client, sessionId } = await pausedWithoutWorker()
    await expect(act(client, sessionId)).rejects.toThrow("no worker")
  })

  it.each(["send", "decide", "cancel", "retry"])("looks the session up before it, for %s", async (name) => {
    const { client } = await pausedWithoutWorker()
    await expect(working[name]?.(client, "nobody1")).rejects.toMatchObject({ code: "session_not_found" })
  })

  it("does not require it for what starts no run", async () => {
    const { client, sessionId } = await pausedWithoutWorker()
    expect(await client.outcome(sessionId)).toMatchObject({ outcome: "paused" })
    await expect(client.fork({ sessionId: "nobody1", atStep: 1, actor })).rejects.toMatchObject({
      code: "session_not_found",
    })
  })
})
