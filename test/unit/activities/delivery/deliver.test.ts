import { MockActivityEnvironment } from "@temporalio/testing"
import { expect, it } from "vitest"
import type { AgentDependencies } from "../../../../activities/agent-dependencies.ts"
import { createDeliveryActivities } from "../../../../activities/delivery/deliver.ts"
import { deliveryWorkflowId } from "../../../../domain/engine/engine-names.ts"
import type { StoredNotice } from "../../../../domain/notify/notice.ts"
import { createRedact } from "../../../../domain/text/redact.ts"
import type { NewDelivery } from "../../../../store/store.ts"
import { receiverSecret, startReceiver } from "../../../helpers/http/webhook-receiver.ts"
import { storeWithSession } from "../../store/store-fixture.ts"

const policy = { attempts: 3, initialMs: 1, maxMs: 10, timeoutMs: 5_000 }

/** Sends a delivery as the activity of a worker that knows a secret. Returns the activity's answer, and what the receiver has. */
const deliver = async (
  change: (url: string) => Partial<NewDelivery>,
  before: "pending" | "dismissed" | "failed" = "pending",
) => {
  const receiver = await startReceiver()
  const store = await storeWithSession()
  const key = "dlv_1"
  const row = { key, sessionId: "s1", runId: "r1", event: "run-finished" as const, secretEnv: "HOOK", policy }
  await store.deliveries.create({ ...row, kind: "webhook", url: receiver.url, body: "{}", ...change(receiver.url) })
  if (before !== "pending") await store.deliveries.patch(key, { status: before }, ["pending"])
  const redact = createRedact(["k3y-of-this-worker"])
  const deps = { store, redact, env: { HOOK: receiverSecret } } as unknown as AgentDependencies
  const { deliver: act } = createDeliveryActivities(deps)
  const answer = await new MockActivityEnvironment({ attempt: 1 }).run(act, { key, policy, attempt: 1 })
  return { answer, requests: receiver.requests, status: (await store.deliveries.get(key))?.status }
}

it("sends what is pending, and nothing that was dismissed or has failed", async () => {
  const pending = await deliver(() => ({}))
  expect(pending).toMatchObject({ answer: { kind: "delivered" }, status: "delivered" })
  expect(pending.requests).toHaveLength(1)
  for (const before of ["dismissed", "failed"] as const)
    expect(await deliver(() => ({}), before)).toEqual({ answer: { kind: "dropped" }, requests: [], status: before })
})

it("tells people nothing that this worker knows as a secret, and changes no word that decides", async () => {
  const word = "v1.k3y-of-this-worker"
  const notice: StoredNotice["notice"] = {
    kind: "approval",
    title: "general asks with k3y-of-this-worker",
    task: { id: "s1", agent: "general" },
    text: "The key is k3y-of-this-worker.",
    calls: [{ id: "c1", summary: "curl -H k3y-of-this-worker", text: "k3y-of-this-worker", flags: [] }],
    how: "adjutant resume s1",
    word,
  }
  const { requests } = await deliver((url) => {
    const stored: StoredNotice = { name: "ops", destination: { type: "webhook", url, secretEnv: "HOOK" }, notice }
    return { kind: "destination", body: JSON.stringify(stored) }
  })
  expect(requests).toHaveLength(1)
  const { word: sentWord, ...texts } = requests[0]?.body.notice ?? {}
  expect(sentWord).toBe(word)
  expect(JSON.stringify(texts)).not.toContain("k3y-of-this-worker")
})

it("wakes the next message of a thread when the one before it was delivered", async () => {
  const receiver = await startReceiver()
  const store = await storeWithSession()
  const say = (key: string) => ({
    ...{ key, sessionId: "s1", runId: "r1", event: "run-finished" as const, secretEnv: "HOOK", policy },
    ...{ kind: "channel" as const, url: receiver.url, body: JSON.stringify({ thread_key: "t1", text: key }) },
  })
  for (const key of ["dlv_1", "dlv_2"]) await store.deliveries.create(say(key))
  const woken: string[] = []
  const getHandle = (id: string) => ({ signal: async (name: string) => void woken.push(`${name} ${id}`) })
  const deps = { store, env: { HOOK: receiverSecret }, temporal: { workflow: { getHandle } } }
  const { deliver: act } = createDeliveryActivities(deps as unknown as AgentDependencies)
  const send = (key: string) => new MockActivityEnvironment({ attempt: 1 }).run(act, { key, policy, attempt: 1 })
  expect(await send("dlv_2")).toEqual({ kind: "waits" })
  expect(await send("dlv_1")).toEqual({ kind: "delivered" })
  expect(woken).toEqual([`retry ${deliveryWorkflowId("dlv_2")}`])
  expect(await send("dlv_2")).toEqual({ kind: "delivered" })
  expect(receiver.requests.map(({ body }) => body.text)).toEqual(["dlv_1", "dlv_2"])
})
