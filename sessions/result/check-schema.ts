import { fileURLToPath } from "node:url"
import { Worker } from "node:worker_threads"
import type { CheckSchema, SchemaJob, SchemaVerdict } from "../../domain/tools/schema-check.ts"
import { createFairQueue, type QueueLimits } from "./fair-queue.ts"

export interface SchemaCheckLimits extends QueueLimits {
  readonly threads: number
  /** Time limit of one check, in milliseconds. */
  readonly timeoutMs: number
  readonly memoryMib: number
  /** How long a thread without work is kept. */
  readonly idleMs: number
}

const defaultLimits: SchemaCheckLimits = {
  threads: 2,
  waiting: 64,
  waitingPerOwner: 32,
  timeoutMs: 5_000,
  memoryMib: 128,
  idleMs: 10_000,
}

const threadFile = (): string => {
  const extension = import.meta.url.endsWith(".ts") ? ".ts" : ".js"
  return fileURLToPath(new URL(`./schema-thread${extension}`, import.meta.url))
}

const failed = (error: unknown): SchemaVerdict => ({
  kind: "unusable",
  problem: `the validation failed: ${error instanceof Error ? error.message : String(error)}`,
})

interface SchemaThread {
  check(job: SchemaJob): Promise<SchemaVerdict>
  isOver(): boolean
  end(): Promise<unknown>
}

/** Starts a thread that makes one check after another. It ends when one of them exceeds a limit. */
const startThread = ({ timeoutMs, memoryMib }: SchemaCheckLimits): SchemaThread => {
  const thread = new Worker(threadFile(), { env: {}, resourceLimits: { maxOldGenerationSizeMb: memoryMib } })
  const ready = Promise.withResolvers<void>()
  let settle: (verdict: SchemaVerdict) => void = () => undefined
  let isOver = false
  const endWith = (verdict: SchemaVerdict): void => {
    if (isOver) return
    isOver = true
    ready.resolve()
    void thread.terminate().then(() => settle(verdict))
  }
  thread.unref()
  thread.on("message", (message: "ready" | SchemaVerdict) => (message === "ready" ? ready.resolve() : settle(message)))
  thread.on("error", (error) => endWith(failed(error)))
  thread.on("exit", () => endWith(failed("the thread ended")))

  const tooLong: SchemaVerdict = {
    kind: "unusable",
    problem: `the validation takes longer than ${timeoutMs} ms: use a simpler schema`,
  }
  return {
    async check(job) {
      const verdict = Promise.withResolvers<SchemaVerdict>()
      let isOpen = true
      settle = verdict.resolve
      thread.ref()
      await ready.promise
      // After the messages that have arrived: the event loop may have been late itself.
      const timer = setTimeout(() => setImmediate(() => isOpen && endWith(tooLong)), timeoutMs)
      try {
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
        thread.postMessage(job)
        return await verdict.promise
      } catch (error) {
        return failed(error)
      } finally {
        isOpen = false
        clearTimeout(timer)
        thread.unref()
      }
    },
    isOver: () => isOver,
    end: () => thread.terminate(),
  }
}

/** Keeps the threads that have no work for a while. */
const createThreads = (limits: SchemaCheckLimits) => {
  const idle = new Map<SchemaThread, NodeJS.Timeout>()
  return {
    take(): SchemaThread {
      for (const [thread, timer] of idle) {
        clearTimeout(timer)
        idle.delete(thread)
        if (!thread.isOver()) return thread
      }
      return startThread(limits)
    },
    keep(thread: SchemaThread): void {
      if (thread.isOver()) return
      const end = (): void => {
        idle.delete(thread)
        void thread.end()
      }
      idle.set(thread, setTimeout(end, limits.idleMs).unref())
    },
  }
}

interface WaitingCheck {
  readonly job: SchemaJob
  readonly settle: (verdict: SchemaVerdict) => void
}

/**
 * Creates the checks of schemas that others wrote, in a fixed number of threads that are started when they are needed. What exceeds the queue is answered
 * `busy` at once.
 */
export const createCheckSchema = (changed: Partial<SchemaCheckLimits> = {}): CheckSchema => {
  const limits = { ...defaultLimits, ...changed }
  const queue = createFairQueue<WaitingCheck>(limits)
  const threads = createThreads(limits)
  let inWork = 0

  const work = async ({ owner, item }: { readonly owner: string; readonly item: WaitingCheck }): Promise<void> => {
    inWork += 1
    const thread = threads.take()
    const verdict = await thread.check(item.job)
    threads.keep(thread)
    inWork -= 1
    queue.done(owner)
    item.settle(verdict)
    workNext()
  }

  const workNext = (): void => {
    while (inWork < limits.threads) {
      const next = queue.take()
      if (next === undefined) return
      void work(next)
    }
  }

  return async (job, { owner, waitMs }) => {
    const verdict = Promise.withResolvers<SchemaVerdict>()
    const item = { job, settle: verdict.resolve }
    if (!queue.add(owner, item, waitMs === undefined)) return { kind: "busy" }
    const giveUp = (): void => {
      if (queue.remove(owner, item)) verdict.resolve({ kind: "busy" })
    }
    const timer = waitMs === undefined ? undefined : setTimeout(giveUp, waitMs)
    workNext()
    return await verdict.promise.finally(() => clearTimeout(timer))
  }
}

/** The checks of this process: all of them share its threads. */
export const checkSchema = createCheckSchema()
