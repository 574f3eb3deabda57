import { afterEach, describe, expect, it } from "vitest"
import { eventually } from "../../helpers/eventually.ts"
import { createFakeTurns } from "../../helpers/models/fake-model.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"

// Anyone with access to Temporal could signal `decide` with any `by` and `via`: the decision was applied in that
// name, and the audit log had no row.

let harness: Harness
const actor = { by: "carol", via: "cli" }
const forger = { by: "alice", via: "http" }

afterEach(() => harness.close())

const pausedOn = async (calls: number, continueAsNewAfterEvents = 0): Promise<string> => {
  const write = (index: number): [string, Record<string, unknown>] => [
    "Write",
    { file_path: `${index}.txt`, content: "x" },
  ]
  harness = await openHarness({
    config: { timing: { continueAsNewAfterEvents } },
    model: createFakeTurns({ calls: Array.from({ length: calls }, (_, index) => write(index)) }, { text: "Done." }),
  })
  const id = await harness.start({ auto_approve: false })
  await harness.client.wait(id)
  return id
}

const accept = (call: string) => ({
  decisions: { [call]: { action: "accept" as const } },
  unlisted: "pending" as const,
})

const completed = (id: string) => eventually(async () => (await harness.client.info(id)).status === "completed")

const audited = async (id: string) =>
  (await harness.client.audit({ sessionId: id })).items
    .filter(({ action }) => action === "decide")
    .map(({ by, via, detail }) => ({ by, via, detail }))
    .toReversed()

const recorded = async (id: string) =>
  (await harness.store.events.read(id, { after: 0, limit: 1_000 })).events
    .filter(({ type }) => type === "decision-recorded")
    .map((event) => ({ by: event["by"], via: event["via"], calls: Object.keys(event["decisions"] as object) }))

const identity = () => harness.temporal.options.identity

const executionsOf = async (id: string): Promise<readonly { readonly runId: string; readonly text: string }[]> => {
  const found: { runId: string; text: string }[] = []
  for await (const { runId } of harness.temporal.workflow.list({ query: `WorkflowId="subagent/${id}"` })) {
    const history = await harness.temporal.workflow.getHandle(`subagent/${id}`, runId).fetchHistory()
    const payloads = (history.events ?? []).map((event) =>
      JSON.stringify(event, (_, value: unknown) =>
        value instanceof Uint8Array ? Buffer.from(value).toString("utf8") : value,
      ),
    )
    found.push({ runId, text: payloads.join("\n") })
  }
  return found
}

/** The payload of the latest decision that a program signalled to the session. */
const signalledTo = async (id: string): Promise<Record<string, unknown>> => {
  const { events } = await harness.handle(id).fetchHistory()
  const [data] = (events ?? []).flatMap(
    ({ workflowExecutionSignaledEventAttributes: signal }) => signal?.input?.payloads?.[0]?.data ?? [],
  )
  return JSON.parse(Buffer.from(data ?? []).toString("utf8")) as Record<string, unknown>
}

describe("a decision that states its sender", () => {
  it("is audited under the identity in history if it is a signal without a signature", async () => {
    const id = await pausedOn(1)
    await harness.handle(id).signal("decide", { decision_id: "d1", ...accept("call_1_1"), ...forger })
    await completed(id)
    expect(await audited(id)).toEqual([
      { by: identity(), via: "temporal", detail: { decisions: { call_1_1: "accept" }, claimed: forger } },
    ])
    expect(await recorded(id)).toEqual([{ by: identity(), via: "temporal", calls: ["call_1_1"] }])
  })

  it("is audited under the identity in history if it is an update without a signature", async () => {
    const id = await pausedOn(1)
    const payload = { decision_id: "d1", ...accept("call_1_1"), ...forger, signature: "AAAA" }
    await harness.handle(id).executeUpdate("decide", { args: [payload], updateId: "d1" })
    await completed(id)
    await eventually(async () => (await audited(id)).length > 0)
    expect(await audited(id)).toEqual([
      { by: identity(), via: "temporal", detail: { decisions: { call_1_1: "accept" }, claimed: forger } },
    ])
    expect(await recorded(id)).toEqual([{ by: null, via: "temporal", calls: ["call_1_1"] }])
  })

  it("names no sender in the event log if a person typed it", async () => {
    const id = await pausedOn(1)
    await harness.handle(id).signal("decide", { decisions: { call_1_1: { action: "accept" } }, ...forger })
    await completed(id)
    expect(await audited(id)).toMatchObject([{ by: identity(), via: "temporal" }])
    expect(await recorded(id)).toEqual([{ by: null, via: "temporal-ui", calls: ["call_1_1"] }])
  })

  it("is not believed with the signature of another decision or for another session", async () => {
    const id = await pausedOn(2)
    const other = await harness.start({ auto_approve: false })
    await harness.client.wait(other)
    await harness.client.decide({ sessionId: id, ...accept("call_1_1"), delivery: "signal", actor })
    const signed = await signalledTo(id)
    expect(signed).toMatchObject({ by: "carol", signature: expect.any(String) })
    await harness.handle(id).signal("decide", { ...signed, decision_id: "d2", ...accept("call_1_2") })
    await completed(id)
    expect((await audited(id)).map(({ by }) => by)).toEqual(["carol", identity()])
    expect((await recorded(id)).map(({ by }) => by)).toEqual(["carol", identity()])
    await harness.client.cancel(other, actor)
  })
})

describe("decisions of every kind", () => {
  it("are audited and recorded exactly once while the session continues as new", async () => {
    // More than the history has when the pause opens: decisions without a checkpoint need an open pause.
    const id = await pausedOn(6, 22)
    const forged = { decision_id: "d1", ...forger, ...accept("call_1_1") }
    await harness.handle(id).signal("decide", forged)
    await harness.client.decide({ sessionId: id, ...accept("call_1_2"), actor })
    await harness
      .handle(id)
      .executeUpdate("decide", { args: [{ decision_id: "d3", ...forger, ...accept("call_1_3") }], updateId: "d3" })
    await harness.handle(id).executeUpdate("decide", { args: [{ decisions: accept("call_1_4").decisions }] })
    await harness.handle(id).signal("decide", { decisions: accept("call_1_5").decisions })
    await harness.client.decide({ sessionId: id, ...accept("call_1_6"), delivery: "signal", actor })
    await completed(id)
    const calls = [1, 2, 3, 4, 5, 6].map((index) => `call_1_${index}`)
    await eventually(async () => (await audited(id)).length >= 6)
    const rows = (await audited(id)).map(({ by, via, detail }) => [
      Object.keys(detail["decisions"] as object)[0],
      by,
      via,
    ])
    expect(rows.toSorted(([left], [right]) => String(left).localeCompare(String(right)))).toEqual(
      calls.map((call, index) => (index % 4 === 1 ? [call, "carol", "cli"] : [call, identity(), "temporal"])),
    )
    expect((await recorded(id)).flatMap((event) => event.calls).toSorted()).toEqual(calls)
    const executions = await executionsOf(id)
    expect(executions.length).toBeGreaterThan(1)
    const secret = await harness.store.secret("decisions")
    expect(executions.filter(({ text }) => text.includes(secret))).toEqual([])
  })
})
