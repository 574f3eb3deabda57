import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { isAdjutantError } from "../../../contracts/adjutant-error.ts"
import { isFinal } from "../../../domain/run/is-final.ts"
import { isDeep } from "../../helpers/effort.ts"
import { eventually } from "../../helpers/eventually.ts"
import type { FakeReply } from "../../helpers/models/fake-model.ts"
import { createHeldModel, type HeldModel } from "../../helpers/models/held-model.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"
import { fillIn, type Forged, forgedMessages, type Known } from "./forged-messages.ts"

let harness: Harness
let model: HeldModel
const actor = { by: "test", via: "cli" }

beforeAll(async () => {
  model = createHeldModel()
  harness = await openHarness({
    model: model.provider,
    config: { timing: { continueAsNewAfterEvents: 60 } },
  })
})
afterAll(() => harness.close())

type Step =
  | { readonly kind: "forged"; readonly message: Forged; readonly times: number }
  | { readonly kind: "reply"; readonly reply: "looks" | "writes" | "talks" }

const steps = fc.array(
  fc.oneof<fc.Arbitrary<Step>[]>(
    fc.record({ kind: fc.constant("forged"), message: forgedMessages, times: fc.integer({ min: 1, max: 2 }) }),
    fc.record({ kind: fc.constant("forged"), message: forgedMessages, times: fc.constantFrom(1, 1, 12) }),
    fc.record({ kind: fc.constant("reply"), reply: fc.constantFrom("looks", "writes", "talks") }),
  ),
  { minLength: 8, maxLength: 24, size: "max" },
)

const replies: Readonly<Record<"looks" | "writes" | "talks", FakeReply>> = {
  looks: { calls: [["LS", {}]] },
  writes: {
    calls: [
      ["Write", { file_path: "a.txt", content: "a" }],
      ["Write", { file_path: "b.txt", content: "b" }],
    ],
  },
  talks: { text: "What next?" },
}

const isOver = async (id: string): Promise<boolean> => (await harness.handle(id).describe()).status.name !== "RUNNING"

/** Waits until the session waits for its model or for a person, or has ended. */
const quiet = (id: string): Promise<void> =>
  eventually(async () => {
    const row = await harness.store.sessions.get(id)
    return row?.status === "paused" || model.isWaiting(id) || (await isOver(id))
  })

const knownOf = async (id: string, checkpoints: readonly string[], messageId: string): Promise<Known> => {
  const run = await harness.store.runs.latest(id)
  const pause = await harness.store.pauses.latest(id)
  return {
    runId: run?.runId ?? "",
    snapshotHash: run?.snapshotHash ?? "",
    checkpoints,
    callIds: pause?.calls.map((call) => call.id) ?? [],
    messageId,
  }
}

/** An update may be rejected, and a session may be over; nothing else may happen. */
const send = async (id: string, { way, name, value }: Forged): Promise<void> => {
  const handle = harness.handle(id)
  const sent = way === "signal" ? handle.signal(name, value) : handle.executeUpdate(name, { args: [value] })
  await Promise.resolve(sent).catch((error: unknown) => {
    expect(String(error)).toMatch(/update failed|already completed|not found|rejected/i)
  })
}

const run = async (id: string, sequence: readonly Step[]): Promise<void> => {
  const checkpoints: string[] = []
  const messageIds = [1, 2, 3, 4].map((number) => `msg_${id}_${number}`)
  for (const messageId of messageIds)
    await harness.store.inbox.put({ id: messageId, sessionId: id, source: "input", text: "known" })
  for (const [index, step] of sequence.entries()) {
    await quiet(id)
    const pause = await harness.store.pauses.latest(id)
    if (pause !== undefined && checkpoints.at(-1) !== pause.checkpointId) checkpoints.push(pause.checkpointId)
    if (step.kind === "reply") model.reply(id, replies[step.reply])
    else {
      const session = await knownOf(id, checkpoints, messageIds[index % messageIds.length] ?? "")
      const message = { ...step.message, value: fillIn(step.message.value, session) }
      for (let time = 0; time < step.times; time += 1) await send(id, message)
    }
  }
}

/** Ends the session as people and models do. */
const bringToItsEnd = async (id: string, pauseOnText: boolean): Promise<void> => {
  await eventually(async () => {
    model.reply(id, pauseOnText ? { calls: [["finish", { result: "The end." }]] } : { text: "The end." })
    const pause = await harness.store.pauses.current(id)
    const at = { sessionId: id, checkpointId: pause?.checkpointId ?? "", actor }
    const answer =
      pause === undefined
        ? Promise.resolve()
        : pause.type === "input_required"
          ? harness.client.send({ ...at, text: "End it.", type: "message" })
          : harness.client.decide({ ...at, all: { action: "reject" }, unlisted: "pending" })
    await answer.catch((error: unknown) => {
      if (!isAdjutantError(error)) throw error
    })
    return isOver(id)
  })
}

/** Expects that nothing was lost: no task of the workflow failed, and a provider would accept the transcript. */
const expectSound = async (id: string): Promise<void> => {
  const { status } = await harness.handle(id).describe()
  expect(["COMPLETED", "FAILED"]).toContain(status.name)
  expect(isFinal((await harness.client.info(id)).status)).toBe(true)
  const { events } = await harness.handle(id).fetchHistory()
  expect((events ?? []).flatMap((event) => event.workflowTaskFailedEventAttributes?.failure?.message ?? [])).toEqual([])
  const rows = await harness.client.messages(id)
  expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, index) => index + 1))
  for (const [index, { message }] of rows.entries()) {
    if (message.role === "user") expect(message.text).not.toBe("")
    if (message.role !== "assistant") continue
    const calls = message.parts.flatMap((part) => (part.type === "tool_call" ? [part.call.id] : []))
    const answers = rows.slice(index + 1, index + 1 + calls.length).map((row) => row.message)
    expect(answers.map((answer) => (answer.role === "tool" ? answer.call_id : answer.role))).toEqual(calls)
  }
}

describe("a session", () => {
  it("ends whatever messages it receives before, and keeps a valid transcript", async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.constantFrom(true, true, false), async (sequence, pauseOnText) => {
        const id = await harness.start({ auto_approve: false, pause_on_approval: pauseOnText, max_steps: 40 })
        await run(id, sequence)
        await bringToItsEnd(id, pauseOnText)
        await expectSound(id)
      }),
      { seed: 20_261_122, numRuns: isDeep ? 40 : 3, endOnFailure: true },
    )
  }, 900_000)
})
