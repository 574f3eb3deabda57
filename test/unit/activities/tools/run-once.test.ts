import { setTimeout as delay } from "node:timers/promises"
import { MockActivityEnvironment } from "@temporalio/testing"
import { expect, test } from "vitest"
import type { AgentDependencies } from "../../../../activities/agent-dependencies.ts"
import type { RunToolInput } from "../../../../activities/contract/agent-activities.ts"
import { loadAnsweredQuestion } from "../../../../activities/tools/call-question.ts"
import { runOnce } from "../../../../activities/tools/run-once.ts"
import { createUnstartedCalls, type UnstartedCalls } from "../../../../activities/unstarted-calls.ts"
import type { Store } from "../../../../store/store.ts"
import type { ToolQuestion } from "../../../../tools/tool.ts"
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

interface Call {
  readonly idempotent: boolean
  readonly attempt: number
  readonly environment?: MockActivityEnvironment
  readonly hash?: string
  /** A person's, to the question that the call asked before. */
  readonly answer?: RunToolInput["answer"]
  /** Of the process that runs it. */
  readonly unstarted?: UnstartedCalls
}

interface Asked {
  readonly question: ToolQuestion
}

const runAttempt = (
  store: Store,
  run: () => Promise<string | Asked>,
  { idempotent, attempt, environment, ...call }: Call,
) => {
  const { unstarted = createUnstartedCalls(), hash = "h", answer } = call
  const deps = { store, unstarted, redact: (text: string) => text } as unknown as AgentDependencies
  return (environment ?? new MockActivityEnvironment({ attempt })).run(() =>
    runOnce<undefined>(deps, answer === undefined ? input : { ...input, answer }, {
      ...{ name: "Pay", hash, idempotent },
      toRow: ({ outcome, content }) => ({ role: "tool", call_id: "c1", name: "Pay", outcome, content }),
      fromRow: (message) =>
        message.role === "tool" ? { outcome: message.outcome, content: message.content, extra: undefined } : undefined,
      unknown: (content) => ({ outcome: "unknown", content, extra: undefined }),
      run: async () => {
        const end = await run()
        return typeof end === "string" ? { outcome: "ok", content: end, extra: undefined } : end
      },
    }),
  )
}

/** Runs a call that is not safe to repeat, as the first attempt of its activity. */
const payAtFirstAttempt = (store: Store, pay: () => Promise<string>) =>
  runAttempt(store, pay, { idempotent: false, attempt: 1 })

const dies = () => Promise.reject(new Error("the worker dies"))

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

test("after a reset, another call with the id and the place of the earlier one runs, and its result is its own", async () => {
  const store = await storeWithSession()
  const pay = (what: string, call: Pick<Call, "attempt" | "hash">) =>
    runAttempt(store, async () => `paid for ${what}`, { idempotent: false, ...call })
  await pay("a", { attempt: 1, hash: "a" })
  expect(await pay("b", { attempt: 2, hash: "b" })).toMatchObject({ end: { outcome: "ok", content: "paid for b" } })
  // An attempt of the abandoned branch finds that its place is taken, and returns nobody else's result.
  await expect(pay("a", { attempt: 1, hash: "a" })).rejects.toThrow("another call")
})

test("after a reset to before its question, a call that was answered and has run keeps its result, and asks nobody", async () => {
  const store = await storeWithSession()
  let paid = 0
  const ask = () =>
    runAttempt(store, async () => ({ question: { message: "Which card?", state: "{}" } }), {
      ...{ idempotent: false, attempt: 1 },
    })
  const answer = { round: 1, inboxId: "m1" }
  const pay = () => runAttempt(store, async () => `payment ${(paid += 1)}`, { idempotent: false, attempt: 1, answer })
  expect(await ask()).toMatchObject({ kind: "asks" })
  // Before it is answered, a repetition asks the same.
  expect(await ask()).toMatchObject({ kind: "asks", question: { message: "Which card?" } })
  await pay()
  expect(await ask()).toMatchObject({ kind: "ended", end: { outcome: "ok", content: "payment 1" } })
  expect(await pay()).toMatchObject({ kind: "ended", end: { outcome: "ok", content: "payment 1" } })
  expect(paid).toBe(1)
})

test("after a reset, another call at the place of one that asked a person asks its own question, and gets the answer to that", async () => {
  const store = await storeWithSession()
  const ask = (what: string, call: Pick<Call, "attempt">) =>
    runAttempt(store, async () => ({ question: { message: `Which ${what}?`, state: what } }), {
      ...{ idempotent: false, hash: what, ...call },
    })
  await ask("card", { attempt: 1 })
  expect(await ask("account", { attempt: 2 })).toMatchObject({ question: { message: "Which account?" } })
  // A repetition finds its own question, too.
  expect(await ask("account", { attempt: 2 })).toMatchObject({ question: { message: "Which account?" } })
  const answer = { round: 1, inboxId: "m1", text: "the second one" }
  expect(await loadAnsweredQuestion(store, { ...input, answer, hash: "account" })).toEqual({
    ...{ state: "account", text: "the second one" },
  })
})

test("a question that an earlier version stored is still found", async () => {
  const store = await storeWithSession()
  const question = JSON.stringify({ message: "Which card?", state: "old" })
  const { sessionId, runId, resultSeq } = input
  await store.inbox.put({ id: `question_${runId}_${resultSeq}_1`, sessionId, source: "notice", text: question })
  const answer = { round: 1, inboxId: "m1", text: "the first one" }
  expect(await loadAnsweredQuestion(store, { ...input, answer, hash: "card" })).toMatchObject({ state: "old" })
})

test.each(["NOT_FOUND", "PAUSED", "RESET", "TIMED_OUT"])(
  "a call that was stopped although nobody cancelled it has no result, and runs again where that is safe: %s",
  async (reason) => {
    const store = await storeWithSession()
    const environment = new MockActivityEnvironment({ attempt: 1 })
    const run = async () => {
      environment.cancel(reason as "TIMED_OUT")
      return "cancelled while it ran"
    }
    await expect(runAttempt(store, run, { idempotent: true, attempt: 1, environment })).rejects.toThrow()
    expect(await store.messages.get("s1", 2)).toBeUndefined()
    const again = await runAttempt(store, async () => "done", { idempotent: true, attempt: 2 })
    expect(again).toMatchObject({ end: { outcome: "ok", content: "done" } })
  },
)

test("a call whose worker died twice is reported to the model, and is not started a third time", async () => {
  const store = await storeWithSession()
  let starts = 0
  const start = (attempt: number) => runAttempt(store, () => ((starts += 1), dies()), { idempotent: true, attempt })
  await expect(start(1)).rejects.toThrow("the worker dies")
  await expect(start(2)).rejects.toThrow("the worker dies")
  expect(await start(3)).toMatchObject({
    end: { outcome: "unknown", content: expect.stringContaining("was started 2 times, and each time the worker") },
  })
  expect(await start(4)).toMatchObject({ end: { outcome: "unknown" } })
  expect(starts).toBe(2)
})

test("a call that its worker stopped gracefully does not count as started", async () => {
  const store = await storeWithSession()
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    const environment = new MockActivityEnvironment({ attempt })
    const run = async () => {
      environment.cancel("WORKER_SHUTDOWN")
      return "partial"
    }
    await expect(runAttempt(store, run, { idempotent: true, attempt, environment })).rejects.toThrow()
  }
  const last = { idempotent: true, attempt: 6 }
  expect(await runAttempt(store, async () => "done", last)).toMatchObject({ end: { outcome: "ok", content: "done" } })
})

test("a claim whose answer an outage took is the attempt's own when the store repeats it, and the call runs", async () => {
  const store = await storeWithSession()
  let isFirst = true
  const repeating = new Proxy(store, {
    get: (target, name) => {
      if (name !== "transaction") return Reflect.get(target, name) as unknown
      const transaction: Store["transaction"] = async (body, outlasts) => {
        const result = await target.transaction(body, outlasts)
        if (!isFirst) return result
        isFirst = false
        return await target.transaction(body, outlasts)
      }
      return transaction
    },
  })
  let paid = 0
  const result = await payAtFirstAttempt(repeating, async () => `payment ${(paid += 1)}`)
  expect(result).toMatchObject({ end: { outcome: "ok", content: "payment 1" } })
})

/** Runs a quick call inside the workflow task, in the process that wrote the answer or in another one. */
const runQuick = (
  store: Store,
  run: () => Promise<string>,
  { isFirst, attempt = 1 }: { readonly isFirst: boolean; readonly attempt?: number },
) => {
  const unstarted = createUnstartedCalls()
  if (isFirst) unstarted.add(input)
  const environment = new MockActivityEnvironment({ isLocal: true, attempt })
  return { unstarted, result: runAttempt(store, run, { idempotent: true, attempt, environment, unstarted }) }
}

const transactionsOf = (store: Store) => {
  let count = 0
  const transaction: Store["transaction"] = (body, outlasts) => ((count += 1), store.transaction(body, outlasts))
  return { store: { ...store, transaction }, count: () => count }
}

const eventsOf = async (store: Store) => (await store.events.read("s1", { after: 0, limit: 100 })).events

test("the first start of a quick call is written with its end, in one transaction, with the time at which it began", async () => {
  const counted = transactionsOf(await storeWithSession())
  let claimsMeanwhile: unknown
  const read = async () => {
    claimsMeanwhile = await counted.store.claims.get("s1", 2)
    await delay(5)
    return "a page"
  }
  await runQuick(counted.store, read, { isFirst: true }).result
  expect(counted.count()).toBe(1)
  expect(claimsMeanwhile).toBeUndefined()
  expect(await counted.store.claims.get("s1", 2)).toMatchObject({ callId: "c1", tool: "Pay", done: true })
  const events = await eventsOf(counted.store)
  expect(events.map(({ type }) => type)).toEqual(["tool-started", "tool-finished"])
  const [started = 0, finished = 0] = events.map(({ at }) => Date.parse(at))
  expect(finished).toBeGreaterThan(started)
})

test("an attempt after the end of a quick call returns what the first one wrote", async () => {
  const store = await storeWithSession()
  await runQuick(store, async () => "a page", { isFirst: true }).result
  const again = runQuick(store, () => dies(), { isFirst: false })
  expect(await again.result).toMatchObject({ end: { content: "a page" } })
  expect(await eventsOf(store)).toHaveLength(2)
})

test("a quick call that ends its workers is started three times at most", async () => {
  const store = await storeWithSession()
  let starts = 0
  const start = (attempt: number) => runQuick(store, () => ((starts += 1), dies()), { isFirst: attempt === 1, attempt })
  const first = start(1)
  await expect(first.result).rejects.toThrow("the worker dies")
  // A second start in the same process is counted, too.
  expect(first.unstarted.take(input)).toBe(false)
  await expect(start(2).result).rejects.toThrow("the worker dies")
  await expect(start(3).result).rejects.toThrow("the worker dies")
  expect(await start(4).result).toMatchObject({ end: { outcome: "unknown" } })
  expect(starts).toBe(3)
})

test("a quick call that was claimed meanwhile writes nothing at its end", async () => {
  const store = await storeWithSession()
  const late = await runQuick(
    store,
    async () => {
      await runAttempt(store, async () => "the other page", { idempotent: true, attempt: 2 })
      return "a page"
    },
    { isFirst: true },
  ).result
  expect(late).toMatchObject({ end: { content: "a page" } })
  expect((await store.messages.get("s1", 2))?.message).toMatchObject({ content: "the other page" })
  expect(await eventsOf(store)).toHaveLength(2)
})

test("a call that is no quick one, or that is not safe to repeat, is claimed before it runs wherever it was proposed", async () => {
  for (const call of [
    { idempotent: false, environment: new MockActivityEnvironment({ isLocal: true }) },
    { idempotent: true, environment: new MockActivityEnvironment() },
  ]) {
    const store = await storeWithSession()
    const unstarted = createUnstartedCalls()
    unstarted.add(input)
    let claim: unknown
    const run = async () => ((claim = await store.claims.get("s1", 2)), "done")
    await runAttempt(store, run, { ...call, attempt: 1, unstarted })
    expect(claim).toMatchObject({ callId: "c1", done: false })
  }
})
