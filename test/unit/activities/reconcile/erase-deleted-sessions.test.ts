import { expect, it } from "vitest"
import { eraseDeletedSessions } from "../../../../activities/reconcile/erase-deleted-sessions.ts"
import { clientFixture, request } from "../../client/client-fixture.ts"

it("deletes the latest execution of a deleted session, even before the engine lists it", async () => {
  const { client, store, temporal } = await clientFixture()
  const { sessionId } = await client.start(request)
  temporal.execution(sessionId).status = "TERMINATED"
  await store.sessions.markDeleted(sessionId)
  temporal.workflow.list = () => (async function* () {})()
  const deps = { store, temporal } as unknown as Parameters<typeof eraseDeletedSessions>[0]
  expect(await eraseDeletedSessions(deps)).toBe(1)
  expect(temporal.executions.size).toBe(0)
})
