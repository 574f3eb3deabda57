import type { EngineGuard } from "../../engine/engine-guard.ts"
import { isGrpcServiceError } from "@temporalio/client"
import { AdjutantError, isAdjutantError } from "../../contracts/adjutant-error.ts"
import { otherEngine, type RememberedEngine } from "../../domain/engine/engine-identity.ts"
import { taskQueueOf } from "../../domain/engine/engine-names.ts"
import type { Store } from "../../store/store.ts"
import { adoptEngine } from "./adopt-engine.ts"
import { compareConnected, compareEngine } from "../../engine/compare-engine.ts"
import type { EngineClient } from "../../engine/engine-client.ts"
import { connectedAddress, identifyEngine } from "../../engine/identify-engine.ts"
import { scheduleCreatedAt } from "../../engine/reconcile-schedule.ts"

export interface EngineGuardOptions {
  readonly temporal: EngineClient
  readonly store: Pick<Store, "storeId" | "engine" | "sessions" | "missing">
  /** The address of the engine, for messages. */
  readonly address?: string
  /** How long a comparison is valid; default: 15 s. */
  readonly checkEveryMs?: number
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
