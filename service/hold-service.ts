import { existsSync, mkdirSync, rmSync } from "node:fs"
import { setTimeout as delay } from "node:timers/promises"
import type { ServiceAddress } from "../contracts/service/service-status.ts"
import { tryLock } from "../server/process/exclusive-lock.ts"
import { writeWhole } from "../server/process/server-files.ts"
import { findService } from "./ask-service.ts"
import { serviceFiles } from "./service-files.ts"

/** This process is the service of a data directory. */
export interface ServiceHold {
  readonly dataDir: string
  /** Publishes where the service answers. */
  publish(address: ServiceAddress): void
  /** `clean`: the service ends on purpose, which counts as no death. */
  release(end: { readonly clean: boolean }): void
}

const heldHere = new Set<string>()

/** Returns whether this process is the service of a data directory. */
export const isHeldHere = (dataDir: string): boolean => heldHere.has(dataDir)

/**
 * Makes this process the service of a data directory. Returns undefined if another process is. Only the lock decides, which the system releases when its
 * holder dies: an address file without a held lock is stale, whatever it names.
 */
export const holdService = (dataDir: string): ServiceHold | undefined => {
  const files = serviceFiles(dataDir)
  mkdirSync(files.directory, { recursive: true, mode: 0o700 })
  const lock = tryLock(files.lock)
  if (lock === undefined) return undefined
  rmSync(files.address, { force: true })
  heldHere.add(dataDir)
  let isHeld = true
  return {
    dataDir,
    publish: (address) => {
      rmSync(files.stopped, { force: true })
      writeWhole(files.address, address)
    },
    release: ({ clean }) => {
      if (!isHeld) return
      isHeld = false
      rmSync(files.address, { force: true })
      if (clean) rmSync(files.starts, { force: true })
      heldHere.delete(dataDir)
      lock.release()
    },
  }
}

export interface HoldWait {
  readonly signal: AbortSignal
  /** How long a process can hold the lock without answering. */
  readonly timeoutMs: number
  /** The service has been asked to end: it may answer for a while. */
  readonly evenIfAnswering?: boolean
}

const lookEveryMs = 50

/** Takes the lock when its holder has ended. Returns undefined if the holder takes too long, or if it answers and is not about to end. */
export const waitToHold = async (
  dataDir: string,
  { signal, timeoutMs, evenIfAnswering = false }: HoldWait,
): Promise<ServiceHold | undefined> => {
  const untilMs = performance.now() + timeoutMs
  for (;;) {
    signal.throwIfAborted()
    const hold = holdService(dataDir)
    if (hold !== undefined) return hold
    if (performance.now() >= untilMs) return undefined
    if (!evenIfAnswering && (await findService(dataDir)) !== undefined) return undefined
    await delay(lookEveryMs, undefined, { signal })
  }
}

/** Returns whether a person has stopped the service since it last ran. */
export const wasStopped = (dataDir: string): boolean => existsSync(serviceFiles(dataDir).stopped)

/** Longer than a worker waits for calls in flight, and for its parts to close. */
const endTimeoutMs = 300_000

/** Waits until a service that was asked to end has released its lock. Returns whether it has. */
export const waitForEnd = async (dataDir: string, signal: AbortSignal): Promise<boolean> => {
  const hold = await waitToHold(dataDir, { signal, timeoutMs: endTimeoutMs, evenIfAnswering: true })
  hold?.release({ clean: true })
  return hold !== undefined
}
