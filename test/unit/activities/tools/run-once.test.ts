import { MockActivityEnvironment } from "@temporalio/testing"
import { expect, test } from "vitest"
import type { AgentDependencies } from "../../../../activities/agent-dependencies.ts"
import { runOnce } from "../../../../activities/tools/run-once.ts"
import type { Store } from "../../../../store/store.ts"
import { storeWithSession } from "../../store/store-fixture.ts"

const input = {
  sessionId: "s1",
  runId: "r1",
  snapshotHash: "h",
  step: 1,
  assistantSeq: 1,
  callId: "c1",
  resultSeq: 2,
  outbox: { events: [] },
}

/** Runs a call that is not safe to repeat, as the first attempt of its activity. */
const payAtFirstAttempt = (store: Store, pay: () => Promise<string>) => {
  const deps = { store, redact: (text: string) => text } as unknown as AgentDependencies
  return new MockActivityEnvironment({ attempt: 1 }).run(() =>
    runOnce<undefined>(deps, input, {
      name: "Pay",
      idempotent: false,
      toRow: ({ outcome, content }) => ({ role: "tool", call_id: "c1", name: "Pay", outcome, content }),
      fromRow: (message) =>
        message.role === "tool" ? { outcome: message.outcome, content: message.content, extra: undefined } : undefined,
      unknown: (content) => ({ outcome: "unknown", content, extra: undefined }),
      run: async () => ({ outcome: "ok", content: await pay(), extra: undefined }),
    }),
  )
}

// A reset of the activity or the workflow counts attempts from 1 again, and keeps the time at which the activity was scheduled.
test("after a reset, a call that is not safe to repeat is not run again: neither one that finished nor one that did not", async () => {
  const store = await storeWithSession()
  let paid = 0
  const payOnce = async () => `payment ${(paid += 1)}`
  await payAtFirstAttempt(store, payOnce)
  expect(await payAtFirstAttempt(store, payOnce)).toMatchObject({ end: { outcome: "ok", content: "payment 1" } })

  const other = await storeWithSession()
  await expect(payAtFirstAttempt(other, () => Promise.reject(new Error("the worker dies")))).rejects.toThrow()
  expect(await payAtFirstAttempt(other, payOnce)).toMatchObject({ end: { outcome: "unknown" } })
  expect(paid).toBe(1)
})
