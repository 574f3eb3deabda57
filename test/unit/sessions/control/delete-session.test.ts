import { expect, test } from "vitest"
import { actor, clientFixture, request } from "../../client/client-fixture.ts"
import { newSession } from "../../store/store-fixture.ts"

test("a sub-agent that is spawned while its session is deleted is deleted, too", async () => {
  const { client, temporal, store } = await clientFixture()
  const { sessionId } = await client.start(request)
  const below = { rootId: sessionId, depth: 1 }
  temporal.onCancel = async (execution) => {
    await store.sessions.create(newSession("c1", { ...below, parentId: sessionId }))
    await store.sessions.create(newSession("c2", { ...below, parentId: "c1", depth: 2 }))
    execution.status = "CANCELLED"
  }
  await client.delete(sessionId, actor)
  for (const id of [sessionId, "c1", "c2"])
    expect(await store.sessions.get(id)).toMatchObject({ deletedAt: expect.any(String) })
})
