import { afterEach, describe, expect, it, vi } from "vitest"
import { eventually } from "../helpers/eventually.ts"
import { type Harness, openHarness } from "../helpers/engine/workflow-harness.ts"
import { createFakeModel } from "../helpers/models/fake-model.ts"
import { createTreeModel } from "../helpers/limits/tree-model.ts"

let harness: Harness
afterEach(() => harness.close())

const actor = { by: "mia", via: "cli" } as const
const never = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))))

describe("stopping everything", () => {
  it("cancels running, paused and waiting sessions of every tree, says which, and records who did it", async () => {
    const model = createTreeModel(
      (turn) =>
        turn === 1 ? { calls: [["sessions_spawn", { task: "Wait." }]] } : { text: "I wait for my sub-agent." },
      (task, turn, { signal }) => {
        if (task === "Ask." && turn === 1) return { calls: [["Bash", { command: "true" }]] }
        return never(signal)
      },
    )
    harness = await openHarness({ model })
    const { client, start, store } = harness
    const parent = await start({ prompt: "PARENT" })
    const asks = await start({ prompt: "Ask.", auto_approve: false })
    const isOpen = async (id: string, status: string) => (await client.info(id)).status === status
    await eventually(async () => (await isOpen(asks, "paused")) && (await client.list({ parent })).items.length === 1)
    const [child] = (await client.list({ parent })).items
    await eventually(async () => isOpen(child?.id ?? "", "running"))

    const { items } = await client.stopAll(actor)
    expect(items.map((item) => `${item.session_id} ${item.previous_status} ${item.status}`).toSorted()).toEqual(
      [`${parent} running cancelled`, `${child?.id} running cancelled`, `${asks} paused cancelled`].toSorted(),
    )
    expect((await client.counts({})).cancelled).toBe(3)
    const audit = await store.audit.list({})
    expect(audit.filter(({ action }) => action === "stop-all")).toMatchObject([
      { by: "mia", via: "cli", detail: { sessions: 3, roots: [parent, asks] } },
    ])
    expect(audit.filter(({ action }) => action === "cancel")).toMatchObject([
      { sessionId: expect.any(String), by: "mia", detail: { stop: "all" } },
      { by: "mia", detail: { stop: "all" } },
    ])
    expect(await client.stopAll(actor)).toEqual({ items: [], next_cursor: null })

    const authority = { approval: "all", directories: ["/srv"] } as const
    await expect(client.stopAll({ ...actor, authority })).rejects.toMatchObject({ code: "forbidden" })
  })

  it("tries again to cancel what Temporal refused to cancel at first", async () => {
    harness = await openHarness({ model: createFakeModel((request) => never(request.signal)) })
    const { client, temporal } = harness
    const id = await harness.start()
    await eventually(async () => (await client.info(id)).status === "running")
    const getHandle = temporal.workflow.getHandle.bind(temporal.workflow)
    let refusals = 1
    const spy = vi.spyOn(temporal.workflow, "getHandle").mockImplementation((workflowId, ...rest) => {
      const handle = getHandle(workflowId, ...rest)
      const refuse = async (): Promise<never> => {
        refusals -= 1
        throw new Error("not now")
      }
      return refusals > 0 ? Object.assign(handle, { cancel: refuse }) : handle
    })
    const { items } = await client.stopAll(actor)
    spy.mockRestore()
    expect(refusals).toBe(0)
    expect(items).toMatchObject([{ session_id: id, previous_status: "running", status: "cancelled" }])
  })
})
