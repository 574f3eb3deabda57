import { expect, it } from "vitest"
import { applyRetentionOf } from "../../../../activities/reconcile/apply-retention.ts"
import type { AgentDependencies } from "../../../../activities/agent-dependencies.ts"
import type { JobRun } from "../../../../activities/reconcile/job-run.ts"
import { retentionSchema } from "../../../../contracts/config/retention.ts"
import type { NewSession } from "../../../../store/store.ts"
import { messageRow, newSession, openTestStore } from "../../store/store-fixture.ts"

const dayMs = 86_400_000

/** An engine that deletes what it is told to, and knows nothing afterwards. */
const createEngine = () => {
  const deleted: string[] = []
  const deleteWorkflowExecution = async (request: { workflowExecution: { workflowId: string } }) => {
    deleted.push(request.workflowExecution.workflowId)
    return {}
  }
  const engine = { options: { namespace: "default" }, workflowService: { deleteWorkflowExecution } }
  const temporal = { ...engine, workflow: { async *list() {} } } as unknown as AgentDependencies["temporal"]
  return { temporal, deleted }
}

const filledStore = async () => {
  let now = Date.now() - 100 * dayMs
  const store = await openTestStore({ now: () => now })
  const end = async (id: string, change: Partial<NewSession> = {}): Promise<void> => {
    await store.sessions.create(newSession(id, change))
    await store.messages.put(id, messageRow(1, "text"))
    await store.events.append(id, [{ type: "run-started", runId: "r1", data: {} }])
    await store.sessions.patch(id, { status: "completed" })
  }
  await end("old")
  await end("child", { parentId: "old", rootId: "old", depth: 1 })
  await end("kept", { label: "evidence" })
  await store.sessions.create(newSession("open"))
  now = Date.now() - 30 * dayMs
  await end("newer")
  now = Date.now()
  return store
}

const retention = retentionSchema.parse({ days: 90, eventsDays: 14, keepLabels: ["evidence"] })

const jobRun = (dryRun: boolean, planned: string[] = []): JobRun => ({
  ...{ dryRun, pageSize: 10, passId: "p1", job: "retention", logger: { warn: () => undefined } },
  plan: ({ id }) => void planned.push(id),
})

it("a pass of the reconciler erases what the retention no longer keeps, and nothing else", async () => {
  const store = await filledStore()
  const { temporal, deleted } = createEngine()
  const planned: string[] = []
  expect(await applyRetentionOf({ store, temporal, retention }, jobRun(true, planned))).toBe(1)
  expect(planned).toEqual(["old"])
  expect((await store.sessions.get("old"))?.deletedAt).toBeNull()

  expect(await applyRetentionOf({ store, temporal, retention }, jobRun(false))).toBe(1)
  for (const id of ["kept", "open", "newer"]) expect((await store.sessions.get(id))?.deletedAt).toBeNull()
  expect((await store.sessions.list({ includeArchived: true })).items.map(({ id }) => id).toSorted()).toEqual([
    "kept",
    "newer",
    "open",
  ])
  expect(deleted.toSorted()).toEqual(["subagent/child", "subagent/old"])
  expect(await store.messages.read("newer", { headSeq: 1 })).toHaveLength(1)
  expect((await store.events.read("newer", { after: 0, limit: 10 })).events).toEqual([])
})

it("a pass without a retention erases nothing", async () => {
  const store = await filledStore()
  const { temporal } = createEngine()
  expect(await applyRetentionOf({ store, temporal }, jobRun(false))).toBe(0)
  expect((await store.sessions.list({ includeArchived: true })).items).toHaveLength(5)
})
