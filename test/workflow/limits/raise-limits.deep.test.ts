import { afterEach, describe, expect, it } from "vitest"
import type { SendRequest } from "../../../sessions/send-request.ts"
import type { Actor } from "../../../sessions/actor.ts"
import { createFakeModel } from "../../helpers/models/fake-model.ts"
import { type Harness, type HarnessOptions, openHarness } from "../../helpers/engine/workflow-harness.ts"

let harness: Harness
const open = async (options: HarnessOptions): Promise<Harness> => (harness = await openHarness(options))
afterEach(() => harness.close())

const person: Actor = { by: "mia", via: "cli" }
const withoutApproval: Actor = { by: "ci", via: "http", authority: { approval: "policy", directories: "any" } }
const looksAround = createFakeModel((_, turn) => (turn < 5 ? { calls: [["LS", {}]] } : { text: "Seen." }))

const continueWith = (sessionId: string, limits: SendRequest["limits"], actor = person) =>
  harness.client.send({ sessionId, text: "Continue.", type: "message", limits, actor })

describe("a run that reached a limit", () => {
  it("is continued with more steps, which the audit shows", async () => {
    const { client, start, store } = await open({ model: looksAround })
    const id = await start({ max_steps: 2 })
    expect(await client.wait(id)).toMatchObject({ stop_reason: "max_steps", steps_taken: 2 })
    await continueWith(id, { max_steps: 40 })
    // The model had its third turn when its steps were used up.
    expect(await client.wait(id)).toMatchObject({ outcome: "completed", final_message: "Seen.", steps_taken: 2 })
    const [row] = await store.audit.list({ sessionId: id, limit: 1 })
    expect(row).toMatchObject({ by: "mia", action: "message", detail: { raised: { max_steps: 40 } } })
    // The next run has no more than this one: it did not end by a limit.
    await expect(continueWith(id, { max_steps: 41 })).rejects.toMatchObject({ code: "limit_widened" })
  })

  it("is not continued with more by a caller who may not approve, and with more of another limit by nobody", async () => {
    const { client, start } = await open({ model: looksAround })
    const id = await start({ max_steps: 2, budget_tokens: 100_000, timeout_seconds: 600, allowed_tools: ["LS"] })
    await client.wait(id)
    await expect(continueWith(id, { max_steps: 3 }, withoutApproval)).rejects.toMatchObject({ code: "forbidden" })
    for (const limits of [{ budget_tokens: 200_000 }, { timeout_seconds: 0 }, { allowed_tools: ["LS", "Read"] }])
      await expect(continueWith(id, { max_steps: 40, ...limits })).rejects.toMatchObject({ code: "limit_widened" })
    expect(await client.info(id)).toMatchObject({ status: "failed", stop_reason: "max_steps" })
    await continueWith(id, { max_steps: 1 }, withoutApproval)
    expect(await client.wait(id)).toMatchObject({ stop_reason: "max_steps", steps_taken: 1 })
  })

  it("is continued with a larger budget", async () => {
    const { client, start } = await open({ model: looksAround })
    const id = await start({ budget_tokens: 10 })
    expect(await client.wait(id)).toMatchObject({ stop_reason: "budget" })
    await continueWith(id, { budget_tokens: 10_000_000 })
    expect(await client.wait(id)).toMatchObject({ outcome: "completed" })
  })

  it("is continued with more time", async () => {
    const { client, start } = await open({
      model: createFakeModel((request) =>
        request.messages.some((message) => message.role === "user" && message.text === "Continue.")
          ? { text: "In time." }
          : new Promise((_, reject) => request.signal.addEventListener("abort", () => reject(new Error("aborted")))),
      ),
    })
    const id = await start({ timeout_seconds: 1 })
    expect(await client.wait(id)).toMatchObject({ stop_reason: "timeout" })
    await continueWith(id, { timeout_seconds: 0 })
    expect(await client.wait(id)).toMatchObject({ outcome: "completed", final_message: "In time." })
  })

  it("keeps what was raised when a queued run opens after another one", async () => {
    const { client, start, store } = await open({ model: looksAround })
    const id = await start({ max_steps: 2 })
    await client.wait(id)
    // Both find the session ended: the first one starts an execution, in which the second one is queued.
    await Promise.all([continueWith(id, { max_steps: 3 }), continueWith(id, { max_steps: 40 })])
    await client.wait(id)
    const runs = await store.runs.list(id)
    const limits = await Promise.all(
      runs.map(async (run) => (await store.snapshots.get(run.snapshotHash))?.limits.maxSteps),
    )
    expect(limits).toContain(40)
  })
})
