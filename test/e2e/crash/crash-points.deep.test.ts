import { describe, expect, it } from "vitest"
import type { SessionEvent } from "../../../contracts/event.ts"
import { isDeep } from "../../helpers/effort.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createChatCalls } from "../../helpers/providers/chat-model.ts"
import { createChatText } from "../../helpers/providers/chat-wire.ts"
import type { CrashPointInput } from "../../helpers/worker/worker-order.ts"
import { type CrashRig, openCrashRig } from "./crash-rig.ts"

const actor = { by: "test", via: "cli" }

/** A pause, a call that must not be repeated, one that may, and an end. */
const respond = (turn: number) =>
  turn === 1
    ? createChatCalls(1, ["Bash", { command: "echo run >> counter" }], ["LS", {}])
    : createChatText("All done.")

const approveAll = async (rig: CrashRig, id: string): Promise<void> => {
  const document = await rig.client.wait(id)
  if (document?.outcome !== "paused") throw new Error(`not paused but ${document?.outcome}`)
  await rig.client.decide({
    sessionId: id,
    checkpointId: document.checkpoint_id,
    all: { action: "accept" },
    unlisted: "pending",
    actor,
  })
}

const eventsOf = async (rig: CrashRig, id: string): Promise<readonly SessionEvent[]> =>
  (await rig.store.events.read(id, { after: 0, limit: 1_000 })).events

const count = (events: readonly SessionEvent[], type: SessionEvent["type"]): number =>
  events.filter((event) => event.type === type).length

const onceEach = ["run-started", "run-paused", "decision-recorded", "tool-calls-proposed", "run-finished"] as const

/** Expects what must be true wherever a worker died. */
const expectWhole = async (rig: CrashRig, id: string): Promise<void> => {
  await eventually(async () => (await rig.handle(id).describe()).status.name === "COMPLETED", { timeoutMs: 60_000 })
  expect(await rig.client.wait(id)).toMatchObject({ outcome: "completed", final_message: "All done.", steps_taken: 2 })
  const messages = (await rig.client.messages(id)).map(({ message }) => message)
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "assistant"])
  const runs = (await rig.lines("counter")).length
  const [bash, ls] = messages.filter((message) => message.role === "tool")
  expect(ls).toMatchObject({ call_id: "call_1_2", outcome: "ok" })
  expect(`${bash?.outcome} after ${runs} runs`).toMatch(/^(ok after 1|unknown after [01]) runs$/)
  const events = await eventsOf(rig, id)
  for (const type of onceEach) expect(`${count(events, type)} ${type}`).toBe(`1 ${type}`)
  expect(count(events, "step-started")).toBe(2)
  expect(count(events, "tool-finished")).toBe(2)
  expect((await rig.client.approvals()).items).toEqual([])
}

/** The first entries are those that `npm test` runs. */
const tried = <T>(few: number, all: readonly T[]): readonly T[] => (isDeep ? all : all.slice(0, few))

const beforeThePause = tried<CrashPointInput>(2, [
  { method: "messages.put", when: "before", containing: "call_1_1" },
  { method: "pauses.open", when: "after" },
  { method: "runs.create", when: "after" },
  { method: "events.append", when: "after", containing: "tool-calls-proposed" },
  { method: "events.append", when: "after", containing: "run-paused" },
])

const afterThePause = tried<CrashPointInput>(2, [
  { method: "claims.finish", when: "before", containing: "Bash" },
  { method: "runs.patchWithSession", when: "before", containing: "finishedAt" },
  { method: "pauses.close", when: "before" },
  { method: "claims.claim", when: "after", containing: "Bash" },
  { method: "events.append", when: "after", containing: "tool-finished" },
  { method: "runs.patchWithSession", when: "after", containing: "All done." },
  { method: "events.append", when: "after", containing: "run-finished" },
])

const named = (crashPoints: readonly CrashPointInput[]) =>
  crashPoints.map((crashAt) => {
    const { when, method, containing } = crashAt
    return [`${when} ${method}${containing === undefined ? "" : ` (${containing})`}`, crashAt] as const
  })

describe.concurrent("a session whose worker is killed", () => {
  it.each(named(beforeThePause))("%s completes correctly", async (_, crashAt) => {
    await using rig = await openCrashRig({ respond })
    const first = await rig.worker({ crashAt })
    const id = await rig.start({ auto_approve: false })
    expect(await first.ended).toMatchObject({ signal: "SIGKILL" })
    await rig.startWorker()
    await approveAll(rig, id)
    await expectWhole(rig, id)
  })

  it.each(named(afterThePause))("%s completes correctly", async (_, crashAt) => {
    await using rig = await openCrashRig({ respond })
    const first = await rig.worker({ crashAt })
    const id = await rig.start({ auto_approve: false })
    await approveAll(rig, id)
    expect(await first.ended).toMatchObject({ signal: "SIGKILL" })
    await rig.startWorker()
    await expectWhole(rig, id)
  })
})
