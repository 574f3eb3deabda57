import { expect, it } from "vitest"
import { fullAuthority } from "../../../domain/caller/authority.ts"
import type { McpContext } from "../../../mcp/mcp-context.ts"
import { applyResponses } from "../../../mcp/resume/apply-responses.ts"
import { httpFixture } from "../http/http-fixture.ts"

const actor = { by: "codex", via: "mcp", kind: "model", authority: fullAuthority } as const

const asked = async () => {
  const { client, store, started, pause } = await httpFixture()
  const id = await started()
  const { checkpointId } = await pause(id)
  const context = { client, store, noApprove: false } as unknown as McpContext
  const answer = (response: unknown) =>
    applyResponses(context, { [`${checkpointId}/call_1`]: response }, { rootIds: new Set([id]), actor })
  const decisions = async () =>
    (await store.audit.list({ sessionId: id })).filter(({ action }) => action.startsWith("decide"))
  return { answer, decisions, store, id, checkpointId }
}

it.each([
  [{ action: "decline" }],
  [{ action: "cancel" }],
  [{ action: "accept", content: {} }],
  [{ action: "accept", content: { reason: "no" } }],
])("a form with %j decides nothing", async (response) => {
  const { answer, decisions, checkpointId, store, id } = await asked()
  expect(await answer(response)).toEqual({ dismissed: [`${checkpointId}/call_1`], refused: [], late: [] })
  expect(await decisions()).toEqual([])
  expect((await store.pauses.current(id))?.checkpointId).toBe(checkpointId)
})

it("a form's own field decides, and the audit names a person", async () => {
  const { answer, decisions } = await asked()
  await answer({ action: "accept", content: { decision: "reject", reason: "not now" } })
  expect(await decisions()).toMatchObject([
    { action: "decide", by: "codex", via: "mcp", kind: "person", detail: { decisions: { call_1: "reject" } } },
  ])
})

it("an approval that the server does not accept is refused and audited, and decides nothing", async () => {
  const { client, store, started, pause } = await httpFixture()
  const id = await started()
  const { checkpointId } = await pause(id)
  const context = { client, store, noApprove: true } as unknown as McpContext
  const approval = { [`${checkpointId}/call_1`]: { action: "accept", content: { decision: "approve" } } }
  const powerless = { ...actor, authority: { approval: "policy", directories: "any" } } as const
  const answers = await applyResponses(context, approval, { rootIds: new Set([id]), actor: powerless })
  expect(answers).toEqual({ dismissed: [], refused: [`${checkpointId}/call_1`], late: [] })
  expect((await store.audit.list({ sessionId: id }))[0]).toMatchObject({
    ...{ action: "decide-refused", by: "codex", kind: "person" },
    detail: { decisions: { call_1: "accept" }, code: "forbidden" },
  })
  expect((await store.pauses.current(id))?.calls).toHaveLength(2)
})

it("a late contrary answer is told who decided, and audited", async () => {
  const { answer, decisions, store, id, checkpointId } = await asked()
  await answer({ action: "accept", content: { decision: "approve" } })
  await store.pauses.close(id, checkpointId)
  const { late } = await answer({ action: "accept", content: { decision: "reject" } })
  expect(late).toEqual([expect.stringMatching(/came too late: call call_1 was already approved at .* by codex/)])
  expect(await decisions()).toMatchObject([{ action: "decide-refused", kind: "person" }, { action: "decide" }])
})

it("a late answer to a question is told that it came too late, and audited without its text", async () => {
  const { client, store, started, pause } = await httpFixture()
  const id = await started()
  const question = { type: "input_required", calls: [] } as const
  const { checkpointId } = await pause(id, question)
  await store.pauses.close(id, checkpointId)
  await pause(id, { ...question, checkpointId: "cp_next", ordinal: 1 })
  const context = { client, store, noApprove: false } as unknown as McpContext
  const responses = { [checkpointId]: { action: "accept", content: { answer: "Blue." } } }
  const { late, dismissed } = await applyResponses(context, responses, { rootIds: new Set([id]), actor })
  expect(dismissed).toEqual([])
  expect(late).toEqual([
    expect.stringMatching(new RegExp(`^The answer to checkpoint ${checkpointId} came too late: .`)),
  ])
  const [row] = await store.audit.list({ sessionId: id })
  expect(row).toMatchObject({
    ...{ action: "message-refused", by: "codex", via: "mcp", kind: "person" },
    detail: { type: "message", checkpoint_id: checkpointId, code: "checkpoint_stale" },
  })
  expect(JSON.stringify(row)).not.toContain("Blue")
})
