import { type EngineGuard, isEngineMismatch } from "../../engine/engine-guard.ts"
import { isGrpcServiceError } from "@temporalio/client"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import {
  otherEngine,
  type RememberedEngine,
  type EngineIdentity,
  unknownEngine,
} from "../../domain/engine/engine-identity.ts"
import { taskQueueOf } from "../../domain/engine/engine-names.ts"
import type { Store, SessionRow } from "../../store/store.ts"
import { compareConnected, compareEngine } from "../../engine/compare-engine.ts"
import type { EngineClient } from "../../engine/engine-client.ts"
import { connectedAddress, identifyEngine } from "../../engine/identify-engine.ts"
import { scheduleCreatedAt, ensureReconcileSchedule } from "../../engine/reconcile-schedule.ts"
import { countKnown } from "../../engine/describe-execution.ts"

/** Number of sessions, the newest, that are looked up: an engine that knows none of them is another one. */
const maxLookedUp = 50

/** A session that is being started is in the store before the engine knows it. */
const startingMs = 30_000

/** A session that was recorded as lost within this time may have been looked up in the wrong engine. */
const recentMs = 7 * 86_400_000

const shouldBeKnown = ({ runId, status, createdAt }: SessionRow, nowMs: number): boolean =>
  runId !== null && (status !== "pending" || nowMs - Date.parse(createdAt) >= startingMs)

type AdoptedStore = Pick<Store, "storeId" | "engine" | "sessions" | "missing">

/** Returns the sessions that the store's engine must know. */
const expectedSessions = async (store: AdoptedStore, nowMs: number): Promise<readonly string[]> => {
  const open = (await store.sessions.listOpen()).filter((row) => shouldBeKnown(row, nowMs))
  const lost = (await store.missing.listEnded(1_000)).filter(
    ({ firstSeenAt }) => nowMs - Date.parse(firstSeenAt) < recentMs,
  )
  return [...open.map(({ id }) => id).toReversed(), ...lost.map(({ sessionId }) => sessionId).toReversed()]
}

/**
 * Makes the store belong to the first engine that it connects to. The store may have open sessions, or sessions recorded as lost;
 * then the engine must know one of them. If namespaces cannot be described, the store's reconcile schedule is created now and identifies the engine
 * from then on.
 * @throws AdjutantError `engine_mismatch`
 */
const adoptEngine = async (
  temporal: EngineClient,
  store: AdoptedStore,
  found: EngineIdentity,
): Promise<RememberedEngine> => {
  const expected = await expectedSessions(store, Date.now())
  const lookedUp = expected.slice(0, maxLookedUp)
  if (expected.length > 0 && (await countKnown(temporal, lookedUp, 1)) === 0)
    throw unknownEngine(found, expected.length)
  const taskQueue = taskQueueOf(store.storeId)
  if (found.namespaceId === null) await ensureReconcileSchedule({ temporal, taskQueue })
  return await store.engine.claim({ ...found, scheduleCreatedAt: await scheduleCreatedAt(temporal, taskQueue) })
}

export interface EngineGuardOptions {
  readonly temporal: EngineClient
  readonly store: Pick<Store, "storeId" | "engine" | "sessions" | "missing">
  /** The address of the engine, for messages. */
  readonly address?: string
  /** How long a comparison is valid; default: 15 s. */
  readonly checkEveryMs?: number
}

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

export const createEngineGuard = (options: EngineGuardOptions): EngineGuard => {
  const { temporal, store, checkEveryMs = defaultCheckEveryMs } = options
  const address = options.address ?? connectedAddress(temporal)
  let verifiedAt = Number.NEGATIVE_INFINITY
  let verifying: Promise<unknown> | undefined

  const within = async <T>(timeoutMs: number, call: () => Promise<T>): Promise<T> => {
    try {
      return await temporal.withDeadline(Date.now() + timeoutMs, call)
    } catch (error) {
      throw unanswered(error, address)
    }
  }
  const requireSame = async (): Promise<RememberedEngine> => {
    const found = await identifyEngine(temporal, address)
    const remembered = (await store.engine.read()) ?? (await adoptEngine(temporal, store, found))
    const { isSame } = await compareEngine(temporal, { storeId: store.storeId, remembered }, found)
    if (!isSame) throw otherEngine(remembered, found)
    if (remembered.namespaceId === null && found.namespaceId !== null)
      await store.engine.learn(remembered.claimId, { namespaceId: found.namespaceId })
    return remembered
  }
  const verify = async (timeoutMs = defaultTimeoutMs): Promise<RememberedEngine> => {
    const remembered = await within(timeoutMs, requireSame)
    verifiedAt = performance.now()
    return remembered
  }

  return {
    compare: () =>
      within(defaultTimeoutMs, async () =>
        compareConnected(temporal, { storeId: store.storeId, remembered: await store.engine.read() }, address),
      ),
    verify,
    verifyFromTimeToTime: async (timeoutMs) => {
      if (performance.now() - verifiedAt < checkEveryMs) return
      try {
        await (verifying ??= verify(timeoutMs).finally(() => (verifying = undefined)))
      } catch (error) {
        if (isEngineMismatch(error)) throw error
      }
    },
    learnSchedule: async () => {
      const { claimId, scheduleCreatedAt: known } = await verify()
      const createdAt = await within(defaultTimeoutMs, () => scheduleCreatedAt(temporal, taskQueueOf(store.storeId)))
      if (createdAt !== known) await store.engine.learn(claimId, { scheduleCreatedAt: createdAt })
    },
  }
}
