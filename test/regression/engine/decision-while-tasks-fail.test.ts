import { expect, it } from "vitest"
import { actor, clientFixture, request } from "../../unit/client/client-fixture.ts"
import { grpcError } from "../../unit/client/fake-temporal.ts"

// Temporal refuses updates while the workflow tasks of a session fail, for example because its worker is overloaded. A decision then ended in the error of
// Temporal's client and was not sent.

it("sends a decision as a signal while Temporal refuses updates because the tasks of the session fail", async () => {
  const fixture = await clientFixture()
  const { sessionId, runId } = await fixture.client.start(request)
  await fixture.pause(sessionId)
  fixture.temporal.onUpdate = () => {
    throw new Error("Workflow Update failed", {
      cause: grpcError(9, "Unable to perform workflow execution update due to Workflow Task in failed state."),
    })
  }
  const all = { action: "accept" } as const
  const sent = await fixture.client.decide({ sessionId, all, unlisted: "pending", actor })
  expect(sent).toEqual({ state: "accepted", runId })
  const { signals, updates } = fixture.temporal.execution(sessionId)
  expect(signals).toEqual([{ name: "decide", payload: updates[0]?.payload }])
})
