import { MockActivityEnvironment } from "@temporalio/testing"
import { expect, it } from "vitest"
import type { AgentDependencies } from "../../../../activities/agent-dependencies.ts"
import type { CallModelInput } from "../../../../activities/contract/agent-activities.ts"
import { recordAnswer } from "../../../../activities/model/record-answer.ts"
import type { ModelSpec } from "../../../../contracts/run-snapshot.ts"
import type { Store } from "../../../../store/store.ts"
import { createAssistantMessage } from "../../../helpers/providers/model-request.ts"
import { wrapStore } from "../../../helpers/store/wrap-store.ts"
import { storeWithSession } from "../../store/store-fixture.ts"

const input = { sessionId: "s1", runId: "r1", step: 1, sessionSteps: 1, assistantSeq: 1 } as CallModelInput
const spec = { provider: "scripted", model: "demo", price: null } as unknown as ModelSpec
const message = createAssistantMessage([{ type: "text", text: "Done." }])

const recordWith = (store: Store) =>
  new MockActivityEnvironment().run(() =>
    recordAnswer({ store } as unknown as AgentDependencies, input, { spec, message }),
  )

it.each(["events.append", "messages.put", "runs.patch", "usage.put"])(
  "writes an answer with all that follows from it, or nothing if %s fails",
  async (failing) => {
    const store = await storeWithSession()
    await store.runs.create({ runId: "r1", sessionId: "s1", snapshotHash: "h" })
    const written = async () => ({
      answer: (await store.messages.get("s1", 1)) !== undefined,
      events: (await store.events.read("s1", { after: 0, limit: 10 })).events.length,
      steps: (await store.runs.get("r1"))?.stepsTaken,
      head: (await store.sessions.get("s1"))?.headSeq,
    })
    const faulty = wrapStore(store, (method, _args, call) =>
      method === failing ? Promise.reject(new Error("no space left")) : call(),
    )
    await expect(recordWith(faulty)).rejects.toThrow("no space left")
    expect(await written()).toEqual({ answer: false, events: 0, steps: 0, head: 0 })
    await recordWith(store)
    expect(await written()).toEqual({ answer: true, events: 1, steps: 1, head: 1 })
  },
)

it("keeps of an answer that comes too late only what it cost", async () => {
  const store = await storeWithSession()
  await store.runs.create({ runId: "r1", sessionId: "s1", snapshotHash: "h" })
  const newer = createAssistantMessage([{ type: "text", text: "Newer." }])
  const fence = Number.MAX_SAFE_INTEGER
  await store.messages.put("s1", { seq: 1, runId: "r1", step: 1, message: newer, fence })
  await expect(recordWith(store)).rejects.toThrow("a newer attempt has already answered this step")
  expect((await store.messages.get("s1", 1))?.message).toEqual(newer)
  expect((await store.events.read("s1", { after: 0, limit: 10 })).events).toEqual([])
  expect(await store.sessions.get("s1")).toMatchObject({ headSeq: 0, stepsTaken: 0 })
  const { inputTokens, outputTokens } = message.usage
  expect(await store.usage.total({ sessionId: "s1" })).toMatchObject({ inputTokens, outputTokens })
})
