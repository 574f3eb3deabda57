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

it.each(["events.append", "runs.patch", "sessions.patch", "usage.put"])(
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
