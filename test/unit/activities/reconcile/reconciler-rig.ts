import { WorkflowNotFoundError } from "@temporalio/client"
import { pino } from "pino"
import { timingSchema } from "../../../../contracts/config/timing.ts"
import type { Status } from "../../../../contracts/status.ts"
import type { ReconcileInput, ReconcilePass } from "../../../../domain/engine/reconcile-pass.ts"
import { createReconcileSessions } from "../../../../activities/reconcile/reconcile-sessions.ts"
import type { AgentDependencies } from "../../../../activities/index.ts"
import { createAnnouncer } from "../../../../sessions/delivery/announcer.ts"
import { createSnapshotCache } from "../../../../activities/run/snapshot-cache.ts"
import type { NewSession } from "../../../../store/store.ts"
import { wrapStore } from "../../../helpers/store/wrap-store.ts"
import { newSession, openTestStore } from "../../store/store-fixture.ts"

export interface FakeExecution {
  status: "RUNNING" | "TERMINATED"
  runId: string
  parent?: { readonly workflowId: string; readonly runId: string }
  children?: readonly { readonly workflowId: string; readonly runId: string }[]
}

type NewRow = Partial<NewSession> & { readonly snapshotHash?: string }

/**
 * Returns the reconciler over a real store and an engine that has the given executions and counts its
 * requests.
 */
export const reconcilerRig = async (paging?: { readonly pageSize: number }) => {
  const store = await openTestStore()
  const executions = new Map<string, FakeExecution>()
  const asked = { lists: 0, describes: [] as string[], cancelled: [] as string[], started: [] as string[] }
  /** Called before each request and each store call; a test throws there. */
  const hooks = {
    list: (_query: string): void => undefined,
    store: (_method: string, _args: string): void => undefined,
  }
  const listed = (query: string) =>
    [...executions]
      .filter(([workflowId, { status }]) => status === "RUNNING" && query.includes(`"${workflowId}"`))
      .map(([workflowId, { runId, parent }]) => ({ workflowId, runId, parentExecution: parent }))
  const temporal = {
    options: { namespace: "default" },
    withDeadline: <T>(_: number, call: () => Promise<T>) => call(),
    workflow: {
      start: async (_: string, { workflowId }: { readonly workflowId: string }) => void asked.started.push(workflowId),
      async *list({ query }: { readonly query: string }) {
        asked.lists += 1
        hooks.list(query)
        yield* listed(query)
      },
      getHandle: (workflowId: string) => ({
        describe: async () => {
          asked.describes.push(workflowId)
          const found = executions.get(workflowId)
          if (found === undefined) throw new WorkflowNotFoundError("not found", workflowId, undefined)
          return {
            status: { name: found.status },
            runId: found.runId,
            closeTime: found.status === "RUNNING" ? undefined : new Date(),
            raw: { workflowExecutionInfo: { parentExecution: found.parent }, pendingChildren: found.children ?? [] },
          }
        },
        cancel: async () => void asked.cancelled.push(workflowId),
        query: async () => {
          throw new Error("no worker answers")
        },
      }),
    },
  }
  const remembered = {
    claimId: "claim",
    namespaceId: "n",
    namespace: "default",
    address: "",
    since: "",
    scheduleCreatedAt: null,
  }
  const workerStore = wrapStore(store, (method, args, call) => {
    hooks.store(method, JSON.stringify(args))
    return call()
  })
  const deps = {
    store: workerStore,
    temporal,
    engine: { verify: async () => remembered, learnSchedule: async () => undefined },
    timing: timingSchema.parse({ startGraceMs: 0, missingConfirmMs: 0 }),
    announcer: createAnnouncer(workerStore),
    logger: pino({ level: "silent" }),
  } as unknown as AgentDependencies
  const pass = (input: ReconcileInput = {}): Promise<ReconcilePass> =>
    createReconcileSessions(deps, createSnapshotCache(workerStore), paging)(input)

  /** Sessions whose runs have this status; open ones run in the engine. */
  const putAll = async (ids: readonly string[], status: Status, change: NewRow = {}): Promise<void> => {
    const { snapshotHash, ...session } = change
    await store.transaction(async (writes) => {
      for (const id of ids) {
        const runId = `run_${id}`
        await writes.sessions.create(newSession(id, session))
        await writes.runs.create({ runId, sessionId: id, snapshotHash: snapshotHash ?? `hash_${id}` })
        await writes.runs.patch(runId, { status })
        await writes.sessions.patch(id, { status, runId })
      }
    })
    if (status === "running" || status === "paused")
      for (const id of ids) executions.set(`subagent/${id}`, { status: "RUNNING", runId: `execution_${id}` })
  }
  const put = (id: string, status: Status, change: NewRow = {}): Promise<void> => putAll([id], status, change)
  const execution = (id: string): FakeExecution => {
    const found = executions.get(`subagent/${id}`)
    if (found === undefined) throw new Error(`no execution of ${id}`)
    return found
  }
  const statusOf = async (id: string) => (await store.sessions.get(id))?.status
  return { store, executions, execution, asked, hooks, pass, put, putAll, statusOf }
}

export type ReconcilerRig = Awaited<ReturnType<typeof reconcilerRig>>

/** Ids in the order of the pages. */
export const sessionIds = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `s${String(index).padStart(5, "0")}`)
