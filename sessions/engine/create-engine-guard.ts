import type { EngineGuard } from "../../engine/engine-guard.ts"
import { isGrpcServiceError } from "@temporalio/client"
import { AdjutantError, isAdjutantError } from "../../contracts/adjutant-error.ts"
import { olderEngine, otherEngine, type RememberedEngine } from "../../domain/engine/engine-identity.ts"
import { taskQueueOf } from "../../domain/engine/engine-names.ts"
import type { Store } from "../../store/store.ts"
import { adoptEngine } from "./adopt-engine.ts"
import { compareConnected, compareEngine, type EngineComparison } from "../../engine/compare-engine.ts"
import type { EngineClient } from "../../engine/engine-client.ts"
import { connectedAddress, identifyEngine } from "../../engine/identify-engine.ts"
import { scheduleCreatedAt } from "../../engine/reconcile-schedule.ts"
import { countLosses } from "./count-losses.ts"
import { advanceMarker } from "./engine-marker.ts"
import { isOlderCopy, rowsToCompare } from "./is-older-copy.ts"

export interface EngineGuardOptions {
  readonly temporal: EngineClient
  readonly store: Pick<Store, "storeId" | "engine" | "sessions" | "missing">
  /** The address of the engine, for messages. */
  readonly address?: string
  /** How long a comparison is valid; default: 15 s. */
  readonly checkEveryMs?: number
  /** Returns how often the connection was lost; default: counted at the connection of `temporal`. */
  readonly losses?: () => number
}

export const isEngineMismatch = (error: unknown): error is AdjutantError =>
  isAdjutantError(error) && error.code === "engine_mismatch"

const defaultTimeoutMs = 10_000
const defaultCheckEveryMs = 15_000

const unanswered = (error: unknown, address: string): unknown =>
  isGrpcServiceError(error)
    ? new AdjutantError(
        "temporal_unavailable",
        `the namespace of Temporal at ${address} cannot be identified: check that the server is running, and the permissions of this client`,
        { cause: error },
      )
    : error

/** Returns what limits the time of a request and translates its error. */
const createDeadline =
  (temporal: EngineClient, address: string) =>
  async <T>(timeoutMs: number, call: () => Promise<T>): Promise<T> => {
    try {
      return await temporal.withDeadline(Date.now() + timeoutMs, call)
    } catch (error) {
      throw unanswered(error, address)
    }
  }

/** Compares the engine with the store's, in one way for every question. */
const createComparison = ({ temporal, store }: Pick<EngineGuardOptions, "temporal" | "store">, address: string) => ({
  compare: async (): Promise<EngineComparison> => {
    const remembered = await store.engine.read()
    const comparison = await compareConnected(temporal, { storeId: store.storeId, remembered }, address)
    const isOlder =
      remembered !== undefined &&
      comparison.isSame &&
      (await isOlderCopy(temporal, await rowsToCompare(store), remembered))
    return { ...comparison, isSame: comparison.isSame && !isOlder }
  },

  requireSame: async (mayBeOlder: boolean): Promise<RememberedEngine> => {
    const found = await identifyEngine(temporal, address)
    const remembered = (await store.engine.read()) ?? (await adoptEngine(temporal, store, found))
    const { isSame } = await compareEngine(temporal, { storeId: store.storeId, remembered }, found)
    if (!isSame) throw otherEngine(remembered, found)
    if (mayBeOlder && (await isOlderCopy(temporal, await rowsToCompare(store), remembered))) throw olderEngine(found)
    if (remembered.namespaceId === null && found.namespaceId !== null)
      await store.engine.learn(remembered.claimId, { namespaceId: found.namespaceId })
    return remembered
  },
})

/** The last comparison, and what makes it invalid. */
const createVerification = (options: EngineGuardOptions, address: string) => {
  const losses = options.losses ?? countLosses(options.temporal.connection)
  const { compare, requireSame } = createComparison(options, address)
  const within = createDeadline(options.temporal, address)
  let verifiedAt = Number.NEGATIVE_INFINITY
  /** How often the connection had been lost before the last comparison that found the store's engine. */
  let verifiedLosses: number | undefined
  let verifying: Promise<unknown> | undefined
  /** How often another engine answered, or may have: a connection was made and lost before the engine behind it was compared. */
  let strangers = 0
  const isReconnected = (): boolean => verifiedLosses !== losses()

  /** Rejects as `check` does; after a mismatch, the next call compares again. */
  const guarded = async <T>(check: () => Promise<T>): Promise<T> => {
    try {
      return await check()
    } catch (error) {
      if (isEngineMismatch(error)) {
        verifiedLosses = undefined
        strangers += 1
      }
      throw error
    }
  }
  const verify = (timeoutMs = defaultTimeoutMs): Promise<RememberedEngine> =>
    guarded(async () => {
      const before = losses()
      const remembered = await within(timeoutMs, () => requireSame(isReconnected()))
      verifiedAt = performance.now()
      if (verifiedLosses !== undefined && before > verifiedLosses + 1) strangers += 1
      verifiedLosses = before
      return remembered
    })
  return {
    isReconnected,
    strangers: (): number => strangers,
    isOlderThan: (ageMs: number): boolean => performance.now() - verifiedAt >= ageMs,
    compare: () => within(defaultTimeoutMs, compare),
    verify,
    /** Verifies the engine; concurrent callers share one comparison. */
    verifyOnce: async (timeoutMs?: number): Promise<void> => {
      verifying ??= verify(timeoutMs).finally(() => (verifying = undefined))
      await verifying
    },
    /** Verifies the engine, and then asks or changes something there, within a deadline. */
    withEngine: <T>(call: (remembered: RememberedEngine) => Promise<T>): Promise<T> =>
      guarded(async () => {
        const remembered = await verify()
        return await within(defaultTimeoutMs, () => call(remembered))
      }),
  }
}

export const createEngineGuard = (options: EngineGuardOptions): EngineGuard => {
  const { temporal, store, checkEveryMs = defaultCheckEveryMs } = options
  const address = options.address ?? connectedAddress(temporal)
  const { isReconnected, strangers, isOlderThan, compare, verify, verifyOnce, withEngine } = createVerification(
    options,
    address,
  )
  /** Whether anything was started or executed since the last marker. */
  let hasWorked = false

  const verifyLosses = async (timeoutMs?: number): Promise<void> => {
    // A comparison that was under way when the connection was lost does not count.
    while (isReconnected()) await verifyOnce(timeoutMs)
  }

  return {
    compare,
    verify,
    verifyFromTimeToTime: async (timeoutMs) => {
      if (!isReconnected() && !isOlderThan(checkEveryMs)) return
      try {
        await verifyOnce(timeoutMs)
      } catch (error) {
        if (isEngineMismatch(error)) throw error
      }
    },
    verifyIfReconnected: async (timeoutMs) => {
      hasWorked = true
      await verifyLosses(timeoutMs)
    },
    continuity: async (timeoutMs) => {
      try {
        await verifyLosses(timeoutMs)
        return strangers()
      } catch (error) {
        if (isEngineMismatch(error)) return undefined
        throw error
      }
    },
    learnSchedule: () =>
      withEngine(async ({ claimId, scheduleCreatedAt: known }) => {
        const createdAt = await scheduleCreatedAt(temporal, taskQueueOf(store.storeId))
        if (createdAt !== known) await store.engine.learn(claimId, { scheduleCreatedAt: createdAt })
      }),
    mark: async (everyMs) => {
      if (!hasWorked) return
      hasWorked = false
      let isMarked = false
      try {
        isMarked = await withEngine((remembered) =>
          advanceMarker(temporal, store, { remembered, everyMs, isReconnected }),
        )
      } finally {
        hasWorked ||= !isMarked
      }
    },
  }
}
