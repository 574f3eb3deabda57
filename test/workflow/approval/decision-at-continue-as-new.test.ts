import { afterEach, describe, expect, it } from "vitest"
import { createFakeTurns, type FakeReply } from "../../helpers/models/fake-model.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"
import { eventually } from "../../helpers/eventually.ts"
import { wrapStore } from "../../helpers/store/wrap-store.ts"

// A pause could open in the workflow task that continued as new. A signal during that task made the engine repeat it: the signal was handled
// before the pause was open again, and a decision without a checkpoint was dropped. A decision that was applied while the session continued as
// new did not end its pause.

let harness: Harness

afterEach(() => harness.close())

const write = (file_path: string): [string, Record<string, unknown>] => ["Write", { file_path, content: "x" }]
const twoWrites: FakeReply = { calls: [write("a.txt"), write("b.txt")] }

/** The preview of the calls makes the history as long as this, and the first model turn does not. */
const continueAsNewAfterEvents = 15

/** Starts a session to which `send` sends while the activity that opens the pause has written it and has not returned. */
const startAndSend = async (send: (id: string) => Promise<unknown>): Promise<string> => {
  let sent: Promise<unknown> | undefined
  harness = await openHarness({
    config: { timing: { continueAsNewAfterEvents } },
    model: createFakeTurns(twoWrites, { text: "Done." }),
    workerStore: (store) =>
      wrapStore(store, async (method, args, call) => {
        const result = await call()
        if (method === "pauses.open") await (sent ??= send((args[0] as { readonly sessionId: string }).sessionId))
        return result
      }),
  })
  return harness.start({ auto_approve: false })
}

const completed = async (id: string): Promise<void> =>
  eventually(async () => (await harness.client.info(id)).status === "completed")

const outcomes = async (id: string) =>
  (await harness.client.messages(id)).flatMap(({ message }) => (message.role === "tool" ? [message.outcome] : []))

const decisions = async (id: string) =>
  (await harness.store.events.read(id, { after: 0, limit: 1_000 })).events.flatMap((event) =>
    event.type === "decision-recorded" ? [event["decisions"]] : [],
  )

/** The session has continued as new in its pause, and Temporal shows no status of a pause that has ended. */
const expectContinued = async (id: string): Promise<void> => {
  const executions: string[] = []
  for await (const { runId } of harness.temporal.workflow.list({ query: `WorkflowId="subagent/${id}"` }))
    executions.push(runId)
  expect(executions.length).toBeGreaterThan(1)
  await eventually(async () => {
    const { searchAttributes } = await harness.handle(id).describe()
    return searchAttributes["AgentStatus"]?.[0] === "completed"
  })
  expect((await harness.client.approvals()).items).toEqual([])
}

describe("a signal without a checkpoint that arrives while a session continues as new", () => {
  it("is applied if it approves all calls", async () => {
    const id = await startAndSend((session) => harness.handle(session).signal("approve", "all"))
    await completed(id)
    expect(await outcomes(id)).toEqual(["ok", "ok"])
    expect(await decisions(id)).toEqual([{ call_1_1: "accept", call_1_2: "accept" }])
    await expectContinued(id)
  })

  it("is applied if it rejects one of the calls, which the store then shows as decided", async () => {
    const id = await startAndSend((session) => harness.handle(session).signal("reject", "call_1_1"))
    await eventually(async () => (await harness.store.pauses.current(id))?.calls.length === 1)
    expect((await harness.client.approvals()).items[0]?.pending.map((call) => call.id)).toEqual(["call_1_2"])
    await eventually(async () => (await decisions(id)).length === 1)
    expect(await decisions(id)).toEqual([{ call_1_1: "reject" }])
    await harness.handle(id).signal("approve", "all")
    await completed(id)
    expect(await outcomes(id)).toEqual(["rejected", "ok"])
    await expectContinued(id)
  })

  it("is applied if it edits a call", async () => {
    const edit = { action: "edit", arguments: { file_path: "c.txt", content: "y" } }
    const id = await startAndSend((session) =>
      harness.handle(session).signal("decide", {
        decision_id: "d1",
        decisions: { call_1_1: edit, call_1_2: { action: "accept" } },
        unlisted: "pending",
      }),
    )
    await completed(id)
    expect(await outcomes(id)).toEqual(["ok", "ok"])
    expect(await decisions(id)).toEqual([{ call_1_1: "edit", call_1_2: "accept" }])
    await expectContinued(id)
  })

  it("skips the calls if it is steering", async () => {
    const id = await startAndSend((session) => harness.handle(session).signal("steer", "Leave it."))
    await completed(id)
    expect(await outcomes(id)).toEqual(["skipped", "skipped"])
    await expectContinued(id)
  })
})
