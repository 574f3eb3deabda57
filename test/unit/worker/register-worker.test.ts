import { describe, expect, it, onTestFinished, vi } from "vitest"
import type { WorkerRow } from "../../../store/tables/workers.ts"
import { identifyThisProcess } from "../../../server/process/process-identity.ts"
import { registerWorker } from "../../../worker/registration/register-worker.ts"

/** An id that no process has: Linux assigns none above 4,194,304. */
const deadPid = 5_000_000
const started = 2

interface Call {
  readonly activityId: string
  readonly lastWorkerIdentity: string
}

interface Setup {
  /** Pending calls by session. */
  readonly calls: Readonly<Record<string, readonly Call[]>>
  /** Calls that ended before they could be failed. */
  readonly ended?: readonly string[]
  /** Returns false for a row that another process has removed. */
  readonly remove?: (identity: string) => boolean
}

const notFound = () => Object.assign(new Error("activity not found"), { code: 5, details: "not found", metadata: {} })

/** A store and an engine that record what is removed and failed. */
const setUp = ({ calls, ended = [], remove = () => true }: Setup) => {
  const rows: WorkerRow[] = []
  const failed: string[] = []
  const warnings: string[] = []
  const temporal = {
    options: { namespace: "default" },
    workflow: {
      getHandle: (workflowId: string) => ({
        describe: async () => ({
          runId: "run",
          raw: {
            pendingActivities: (calls[workflowId.replace("subagent/", "")] ?? []).map((call) => ({
              ...call,
              state: started,
            })),
          },
        }),
      }),
    },
    workflowService: {
      resetStickyTaskQueue: async () => undefined,
      respondActivityTaskFailedById: async ({ activityId }: { readonly activityId: string }) => {
        if (ended.includes(activityId)) throw notFound()
        failed.push(activityId)
      },
    },
  }
  const store = {
    workers: {
      note: async (row: WorkerRow) => void rows.push(row),
      remove: async (identity: string) => {
        const index = rows.findIndex((row) => row.identity === identity)
        if (index >= 0) rows.splice(index, 1)
        return remove(identity)
      },
      onMachine: async () => [...rows],
    },
    sessions: {
      list: async () => ({ items: Object.keys(calls).map((id) => ({ id })), nextCursor: null }),
    },
  }
  const logger = { info: () => undefined, warn: (_: object, text: string) => void warnings.push(text) }
  return { options: { store, temporal, logger } as never, rows, failed, warnings }
}

const deadRow = (identity: string): WorkerRow => {
  const start = identifyThisProcess().start.replace(/\d+$/, "1")
  return { identity, machine: "any", pid: deadPid, start }
}

describe("a worker that starts", () => {
  it("fails the calls of a dead worker, also behind one that ended meanwhile", async () => {
    const call = (activityId: string, lastWorkerIdentity = "dead"): Call => ({ activityId, lastWorkerIdentity })
    const { options, rows, failed, warnings } = setUp({
      calls: { s1: [call("1"), call("2")], s2: [call("3"), call("4", "alive")] },
      ended: ["1"],
    })
    rows.push(deadRow("dead"))
    await registerWorker(options, "own")
    expect(failed.toSorted()).toEqual(["2", "3"])
    expect(rows.map(({ identity }) => identity)).toEqual(["own"])
    expect(warnings).toEqual([])
  })

  it.runIf(process.platform === "linux")(
    "leaves the calls of a worker of another machine that has the same name, or of this one before it was restarted",
    async () => {
      const { options, rows, failed } = setUp({ calls: { s1: [{ activityId: "1", lastWorkerIdentity: "other" }] } })
      rows.push({ ...deadRow("other"), start: "11111111-2222-3333-4444-555555555555:1" })
      await registerWorker(options, "own")
      expect(failed).toEqual([])
      expect(rows.map(({ identity }) => identity)).toEqual(["other", "own"])
    },
  )

  it("leaves the calls of a dead worker to the process that removed its row", async () => {
    const { options, rows, failed } = setUp({
      calls: { s1: [{ activityId: "1", lastWorkerIdentity: "dead" }] },
      remove: () => false,
    })
    rows.push(deadRow("dead"))
    await registerWorker(options, "own")
    expect(failed).toEqual([])
  })

  it("leaves the calls of a running worker", async () => {
    const { options, rows, failed } = setUp({ calls: { s1: [{ activityId: "1", lastWorkerIdentity: "first" }] } })
    await registerWorker(options, "first")
    await registerWorker(options, "second")
    expect(failed).toEqual([])
    expect(rows).toHaveLength(2)
  })

  it("notes every day that it is still running, until it stops", async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { options, rows } = setUp({ calls: {} })
    const stop = await registerWorker(options, "own")
    await vi.advanceTimersByTimeAsync(86_400_000)
    const noted = rows.length
    expect(noted).toBeGreaterThan(1)
    await stop()
    await vi.advanceTimersByTimeAsync(86_400_000)
    expect(rows).toHaveLength(noted - 1)
  })
})
