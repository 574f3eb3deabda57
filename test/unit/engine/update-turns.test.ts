import { expect, it } from "vitest"
import type { EngineContext } from "../../../engine/engine-context.ts"
import { sendUpdateOrSignal } from "../../../engine/send-update.ts"
import type { TemporalClient } from "../../../engine/temporal-client.ts"
import { takeTurn } from "../../../engine/update-turns.ts"
import { eventually } from "../../helpers/eventually.ts"

const count = 100
const sessionIds = Array.from({ length: count }, (_, index) => `session-${index}`)

/** An engine whose updates are answered when the test says so. */
const openEngine = (updateTimeoutMs: number) => {
  const updates: { readonly workflowId: string; readonly answer: () => void }[] = []
  const signals: string[] = []
  let running = 0
  let most = 0
  const temporal = {
    withDeadline: (_: number, call: () => Promise<unknown>) => call(),
    workflow: {
      getHandle: (workflowId: string) => ({
        executeUpdate: async () => {
          running += 1
          most = Math.max(most, running)
          await new Promise<void>((answer) => updates.push({ workflowId, answer }))
          running -= 1
          return { run_id: "run" }
        },
        signal: async () => void signals.push(workflowId),
      }),
    },
  } as unknown as TemporalClient
  const context = {
    temporal,
    timing: { updateTimeoutMs, engineTimeoutMs: 60_000 },
    engine: { verifyFromTimeToTime: async () => undefined, verify: async () => ({}) as never },
  } as unknown as EngineContext
  const sendAll = () =>
    sessionIds.map((sessionId) =>
      sendUpdateOrSignal(context, { sessionId, name: "decide", id: "1", payload: {} }, { signalName: "decide" }),
    )
  return { temporal, updates, signals, sendAll, mostAtOnce: () => most }
}

it("sends hundreds of decisions some at a time, so that each is applied as an update", async () => {
  const engine = openEngine(60_000)
  const sent = engine.sendAll()
  for (let answered = 0; answered < count; answered += 1) {
    await eventually(() => engine.updates.length > answered)
    engine.updates[answered]?.answer()
  }
  expect((await Promise.all(sent)).map(({ kind }) => kind)).toEqual(sessionIds.map(() => "applied"))
  expect(engine.mostAtOnce()).toBeLessThanOrEqual(32)
  expect(engine.updates.map(({ workflowId }) => workflowId)).toEqual(sessionIds.map((id) => `subagent/${id}`))
  expect(engine.signals).toEqual([])
})

it("sends a decision as a signal only, if its turn does not come in time", async () => {
  const engine = openEngine(50)
  const sent = engine.sendAll()
  await eventually(() => engine.signals.length === count - 32)
  const updated = engine.updates.map(({ workflowId }) => workflowId)
  expect(updated).toHaveLength(32)
  expect(engine.signals.filter((id) => updated.includes(id))).toEqual([])
  for (const { answer } of engine.updates) answer()
  await Promise.all(sent)
})

it("gives the turn of a caller that has left to the next one", async () => {
  const { temporal } = openEngine(50)
  const first = await Promise.all(Array.from({ length: 32 }, () => takeTurn(temporal, 1_000)))
  expect(await takeTurn(temporal, 1)).toBeUndefined()
  const next = takeTurn(temporal, 60_000)
  first[0]?.()
  expect(await next).toBeDefined()
})
