import { MockActivityEnvironment } from "@temporalio/testing"
import { expect, it } from "vitest"
import { appendRows } from "../../../../activities/transcript/append-rows.ts"
import { callHash } from "../../../../activities/approval/call-claim.ts"
import { createAssistantMessage } from "../../../helpers/providers/model-request.ts"
import type { AppendItem } from "../../../../activities/contract/agent-activities.ts"
import { newSession, storeWithSession } from "../../store/store-fixture.ts"

const scope = { sessionId: "s1", runId: "r1", snapshotHash: "h" }

it("announces a sub-agent of the session's own tree, and no session of another one", async () => {
  const store = await storeWithSession()
  await store.sessions.create(newSession("own", { parentId: "s1", rootId: "s1", depth: 1 }))
  await store.sessions.create(newSession("other"))
  for (const id of ["own", "other"]) {
    await store.runs.create({ runId: `run of ${id}`, sessionId: id, snapshotHash: "h" })
    await store.runs.patch(`run of ${id}`, { status: "completed", finalMessage: `result of ${id}` })
  }
  const announce = (seq: number, childId: string): AppendItem => ({
    ...{ kind: "announce", seq, childId, runId: `run of ${childId}` },
  })
  const items = [announce(1, "own"), announce(2, "other")]
  await new MockActivityEnvironment().run(() => appendRows(store, scope, { step: 2, items }))
  const rows = await store.messages.read("s1", { headSeq: 2 })
  expect(rows.map(({ message }) => message)).toMatchObject([
    { source: "announce", text: expect.stringContaining("result of own") },
    { source: "notice", text: expect.stringMatching(/^A sub-agent was reported that this session does not have/) },
  ])
  expect((await store.sessions.get("other"))?.archivedAt).toBeNull()
})

it("leaves what a call has reported itself, unless that was another call", async () => {
  const store = await storeWithSession()
  const propose = (path: string) =>
    store.messages.put("s1", {
      ...{ seq: 1, runId: "r1", step: 1, fence: 1 },
      message: createAssistantMessage([
        { type: "tool_call", call: { id: "call_1", name: "Write", arguments: { path } } },
        { type: "tool_call", call: { id: "call_2", name: "Write", arguments: { path: "b" } } },
      ]),
    })
  await propose("a")
  const callHashOfA = callHash({ name: "Write", arguments: { path: "a" } })
  const claim = { sessionId: "s1", seq: 2, callId: "call_1", callHash: callHashOfA, tool: "Write", fence: 1 }
  await store.claims.claim(claim)
  const written = { role: "tool", call_id: "call_1", name: "Write", outcome: "ok", content: "written" } as const
  await store.claims.finish({ sessionId: "s1", seq: 2 }, { seq: 2, runId: "r1", step: 1, fence: 1, message: written })

  const skipped = { kind: "result", name: "Write", outcome: "skipped", content: "skipped due to steering" } as const
  const items: AppendItem[] = [
    { ...skipped, seq: 2, callId: "call_1" },
    { ...skipped, seq: 3, callId: "call_2" },
  ]
  const skip = () => new MockActivityEnvironment().run(() => appendRows(store, scope, { step: 1, items }))
  const results = async () =>
    (await store.messages.read("s1", { fromSeq: 2, headSeq: 3 })).map(({ message }) => message)
  await skip()
  expect(await results()).toMatchObject([{ outcome: "ok", content: "written" }, { outcome: "skipped" }])
  await propose("c")
  await skip()
  expect(await results()).toMatchObject([{ outcome: "skipped" }, { outcome: "skipped" }])
})

it("records a call that a rule refused once, and no other result", async () => {
  const store = await storeWithSession()
  const result = { kind: "result", name: "Bash", outcome: "rejected", content: "TOOL_CALL_REJECTED" } as const
  const items: AppendItem[] = [
    { ...result, seq: 1, callId: "call_1", refused: true },
    { ...result, seq: 2, callId: "call_2" },
  ]
  for (let attempt = 0; attempt < 2; attempt += 1)
    await new MockActivityEnvironment().run(() => appendRows(store, scope, { step: 2, items }))
  expect(await store.audit.list({ sessionId: "s1" })).toMatchObject([
    { action: "refuse", runId: "r1", kind: "program", detail: { call_id: "call_1", tool: "Bash" } },
  ])
})
