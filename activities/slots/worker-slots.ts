import { availableParallelism } from "node:os"
import type { WorkerSettings } from "../../contracts/config/config.ts"
import { mediaLimits } from "../../domain/media/media-limits.ts"
import { createSemaphore, type Semaphore } from "./semaphore.ts"

/** What can be taken of a semaphore, and what a session that waits for it is told. */
export interface Slots {
  readonly semaphore: Semaphore
  readonly reason: string
}

/** The limits on what one worker process does at a time. */
export interface WorkerSlots {
  readonly counts: WorkerSettings
  readonly modelCalls: Slots
  readonly tools: Slots
  /** Calls that are whole runs, which this worker does not limit. */
  readonly wholeRuns: Slots
  /** Bytes of the images and PDF files of requests. */
  readonly media: Slots
  /** How many calls of a session wait here. */
  readonly waiting: Map<string, number>
  /** Lets no further call begin. Resolves when those that have a slot have ended. */
  drain(): Promise<void>
  /** Aborts when the worker stops: waiting calls are offered to other workers. */
  readonly ending: AbortSignal
  end(): void
}

/** Tools wait more than they compute, so that several of them share a core. */
const toolsPerCore = 8

/** More than a worker can have. */
const unlimited = 1e9

const megabytes = (bytes: number): number => Math.round(bytes / 1_000_000)

export const createWorkerSlots = (
  { modelCalls, tools: configured }: WorkerSettings = { modelCalls: 1_000, tools: 0 },
  mediaBytes: number = mediaLimits.processBytes,
): WorkerSlots => {
  const tools = configured === 0 ? toolsPerCore * availableParallelism() : configured
  const ending = new AbortController()
  const semaphores = [createSemaphore(modelCalls), createSemaphore(tools), createSemaphore(unlimited)] as const
  /** Takes all of a semaphore, in the order of the calls, and keeps it. */
  const takeAll = (semaphore: Semaphore): Promise<void> =>
    new Promise((resolve) => {
      const keep = () => new Promise<never>(() => resolve())
      semaphore.hold(Number.POSITIVE_INFINITY, ending.signal, keep).catch(() => resolve())
    })
  const inUse = (count: number, key: string) => `it makes ${count} calls at a time (worker.${key}), and all are in use`
  return {
    counts: { modelCalls, tools },
    modelCalls: { semaphore: semaphores[0], reason: inUse(modelCalls, "modelCalls") },
    tools: { semaphore: semaphores[1], reason: inUse(tools, "tools") },
    wholeRuns: { semaphore: semaphores[2], reason: "it hands over to a newer build" },
    media: {
      semaphore: createSemaphore(mediaBytes),
      reason: `other calls use the ${megabytes(mediaBytes)} MB for images and PDF files`,
    },
    waiting: new Map(),
    drain: async () => {
      await Promise.all(semaphores.map(takeAll))
    },
    ending: ending.signal,
    end: () => ending.abort(),
  }
}
