import { afterEach, expect, it } from "vitest"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"
import { createFakeModel, createFakeTurns } from "../../helpers/models/fake-model.ts"

// The limit of a call was one of Temporal, whose clock runs while a machine sleeps: an hour of sleep ended a call of two minutes as `outcome unknown`.

let harness: Harness

afterEach(() => harness.close())

/** Returns the time that Temporal gives the activities of a type in a session's history, in seconds. */
const engineLimitOf = async (id: string, type: string): Promise<readonly number[]> => {
  const events = (await harness.handle(id).fetchHistory()).events ?? []
  return events.flatMap(({ activityTaskScheduledEventAttributes: scheduled }) =>
    scheduled?.activityType?.name === type ? [Number(scheduled.startToCloseTimeout?.seconds)] : [],
  )
}

it("ends a tool call at its own limit", async () => {
  const command = "sleep 600"
  const model = createFakeTurns({ calls: [["Bash", { command }]] }, { text: "Done." })
  harness = await openHarness({ model, config: { security: { sandbox: "off" }, timing: { toolTimeoutMs: 700 } } })
  const id = await harness.start()
  expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
  const rows = await harness.store.messages.read(id, { headSeq: 10 })
  expect(rows.map(({ message }) => message).find(({ role }) => role === "tool")).toMatchObject({
    outcome: "error",
    content: expect.stringContaining("stopped after 0.7 s"),
  })
  expect(await engineLimitOf(id, "runTool")).toEqual([86_400])
})

it("tries a model call again that has reached its own limit", async () => {
  let calls = 0
  const model = createFakeModel(async () => {
    calls += 1
    if (calls === 1) await new Promise(() => undefined)
    return { text: "Done." }
  })
  const unheard = {
    ...model,
    respond: (request: Parameters<typeof model.respond>[0]) => orAborted(request.signal, model.respond(request)),
  }
  harness = await openHarness({ model: unheard, config: { timing: { modelTimeoutMs: 400 } } })
  const id = await harness.start()
  expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed", final_message: "Done." })
  expect(calls).toBe(2)
  expect(await engineLimitOf(id, "callModel")).toEqual([86_400])
})

const orAborted = <T>(signal: AbortSignal, work: Promise<T>): Promise<T> =>
  Promise.race([
    work,
    new Promise<T>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
  ])
