import { describe, expect, it, vi } from "vitest"
import type { WorkflowBuild } from "../../../../domain/engine/workflow-build.ts"
import type { PollerContext } from "../../../../engine/workers/has-worker.ts"
import { standIn } from "../../../../worker/polling/stand-in.ts"

const own: WorkflowBuild = { buildId: "own", version: "1.1.0", patches: [] }
const earlier: WorkflowBuild = { buildId: "earlier", version: "1.0.0", patches: [] }
const later: WorkflowBuild = { buildId: "later", version: "1.2.0", patches: [] }

interface Surroundings {
  /** Whether a worker of every session runs. */
  everybody: boolean
  /** Builds whose workers execute workflow tasks. */
  running: string[]
  current: WorkflowBuild | undefined
  own: WorkflowBuild
}

const open = (given: Partial<Surroundings>) => {
  const around: Surroundings = { everybody: false, running: [], current: undefined, own, ...given }
  const now = () => ({ seconds: Math.floor(Date.now() / 1_000) })
  const poller = (buildId: string) => ({
    identity: "another",
    lastAccessTime: now(),
    workerVersionCapabilities: { buildId },
  })
  const engine = {
    taskQueue: "queue",
    timing: { engineTimeoutMs: 1_000, workerSeenMs: 60_000, updateTimeoutMs: 1_000 },
    engine: { verifyFromTimeToTime: async () => undefined },
    temporal: {
      options: { namespace: "default" },
      withDeadline: <T>(_: number, call: () => Promise<T>) => call(),
      workflowService: {
        describeTaskQueue: async ({ taskQueueType }: { taskQueueType: number }) => ({
          pollers: taskQueueType === 1 ? around.running.map(poller) : around.everybody ? [poller("any")] : [],
        }),
      },
    },
  }
  const build = {
    read: async () => around.current,
    write: async () => undefined,
    replace: async (from: WorkflowBuild | undefined, to: WorkflowBuild) => {
      if (from !== around.current) return false
      around.current = to
      return true
    },
  }
  const warn = vi.fn<(message: string) => void>()
  const context = engine as unknown as PollerContext
  const shouldPoll = standIn({ engine: context, store: { build }, build: around.own, logger: { warn } as never })
  return { around, shouldPoll, warn }
}

describe("the worker of a run executes workflow tasks", () => {
  it("in a store that no worker has served yet", async () => {
    const { around, shouldPoll } = open({})
    expect(await shouldPoll()).toBe(true)
    expect(around.current).toEqual(own)
  })

  it("not while a worker of every session runs, and afterwards", async () => {
    const { around, shouldPoll } = open({ everybody: true, current: own })
    expect(await shouldPoll()).toBe(false)
    around.everybody = false
    expect(await shouldPoll()).toBe(true)
  })

  it("together with a run of the same build", async () => {
    const { shouldPoll } = open({ running: ["own"], current: own })
    expect(await shouldPoll()).toBe(true)
  })

  it("after the last run of an earlier build has ended", async () => {
    const { around, shouldPoll } = open({ running: ["earlier"], current: earlier })
    expect(await shouldPoll()).toBe(false)
    expect(around.current).toEqual(earlier)
    around.running = []
    expect(await shouldPoll()).toBe(true)
    expect(around.current).toEqual(own)
  })

  it("when another run of its build was quicker to replace the earlier one", async () => {
    const { around, shouldPoll } = open({ current: earlier })
    const deciding = shouldPoll()
    queueMicrotask(() => {
      around.current = own
    })
    expect(await deciding).toBe(true)
  })

  it("not after a later version, which is an error at its start", async () => {
    const { shouldPoll } = open({ current: later })
    await expect(shouldPoll()).rejects.toMatchObject({ code: "no_worker" })
  })

  it("not after a build of its version with changes that it lacks, which the error names", async () => {
    const current = { buildId: "another", version: own.version, patches: ["a-change", "known"] }
    const { shouldPoll } = open({ current, own: { ...own, patches: ["known"] } })
    await expect(shouldPoll()).rejects.toMatchObject({
      code: "no_worker",
      message: expect.stringContaining("with the changes a-change, which this build lacks") as unknown,
    })
  })

  it("not after a later version that took over, with one warning", async () => {
    const { around, shouldPoll, warn } = open({ current: own })
    expect(await shouldPoll()).toBe(true)
    around.current = later
    expect([await shouldPoll(), await shouldPoll()]).toEqual([false, false])
    expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining("last executed by Adjutant 1.2.0"))
  })

  it("not while a run of a later version does, whose worker executes them", async () => {
    const { shouldPoll, warn } = open({ running: ["later"], current: later })
    expect(await shouldPoll()).toBe(false)
    expect(warn).not.toHaveBeenCalled()
  })
})
