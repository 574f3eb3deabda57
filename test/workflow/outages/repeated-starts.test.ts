import { afterEach, expect, it } from "vitest"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"
import { createFakeTurns } from "../../helpers/models/fake-model.ts"

// A signal-with-start whose answer was lost is sent again. If its run had ended meanwhile, that started another execution
// with the same run: all of its steps ran again.

let harness: Harness

afterEach(() => harness.close())

it("ends an execution whose run has ended in an earlier one, and reads its message once", async () => {
  const model = createFakeTurns({ text: "first" }, { text: "second" }, { text: "third" })
  harness = await openHarness({ model })
  const { start, client, store, temporal, handle } = harness
  const { workflow } = temporal
  const id = await start()
  await client.wait(id)
  const repeat: (() => Promise<unknown>)[] = []
  const { signalWithStart } = workflow
  workflow.signalWithStart = (async (type: string, options: never) => {
    repeat.push(() => signalWithStart.call(workflow, type, options))
    return await signalWithStart.call(workflow, type, options)
  }) as typeof signalWithStart
  const { runId } = await client.send({
    sessionId: id,
    text: "Continue.",
    type: "message",
    actor: { by: "ana", via: "cli" },
  })
  expect(await client.wait(id)).toMatchObject({ outcome: "completed", final_message: "second" })
  await handle(id).result()
  const row = await store.sessions.get(id)
  await repeat[0]?.()
  await handle(id).result()
  expect(await store.sessions.get(id)).toEqual(row)
  const rows = await store.messages.read(id, { headSeq: 100 })
  expect(rows.filter((message) => message.runId === runId).map(({ message }) => message.role)).toEqual([
    "user",
    "assistant",
  ])
})
