import { expect, it } from "vitest"
import type { Resumption } from "../../../../cli/run/apply-resumption.ts"
import { warnOfOtherDecision } from "../../../../cli/run/warn-of-other-decision.ts"
import { clientFixture, request } from "../../client/client-fixture.ts"

const approveAll: Resumption = { kind: "decisions", all: { action: "accept" }, decisions: {} }
const approveFirst: Resumption = { kind: "decisions", decisions: { call_1: { action: "accept" } } }

/** Returns the warning for a user who decided, given the decisions that took effect. */
const warnings = async (resumption: Resumption, decisions: Readonly<Record<string, string>>) => {
  const { client, store, pause } = await clientFixture()
  const { sessionId, runId } = await client.start(request)
  await pause(sessionId)
  const session = await client.info(sessionId)
  const data = { checkpoint_id: session.checkpoint_id, decisions }
  await store.events.append(sessionId, [{ type: "decision-recorded", runId, data }])
  const said: string[] = []
  await warnOfOtherDecision({ client, warn: (text) => void said.push(text) }, session, resumption)
  return said
}

it("says that another user's decision took effect, and for which calls", async () => {
  expect(await warnings(approveAll, { call_1: "reject", call_2: "accept" })).toEqual([
    expect.stringContaining("came too late"),
  ])
  expect((await warnings(approveAll, { call_1: "reject", call_2: "accept" }))[0]).toContain("(call_1: reject)")
  expect(await warnings(approveFirst, { call_1: "accept", call_2: "accept" })).toHaveLength(1)
})

it("says nothing if the decisions are the same, or for texts", async () => {
  expect(await warnings(approveFirst, { call_1: "accept", call_2: "reject" })).toEqual([])
  expect(await warnings({ kind: "text", text: "continue", limits: {} }, { call_1: "reject" })).toEqual([])
})
