import type { Limits } from "../../contracts/run/limit-schemas.ts"
import type { SessionLimits } from "../../contracts/session/session.ts"
import { countedTokens, usdOf } from "../../domain/limits/usage-totals.ts"
import type { RunRow, SessionRow, Store } from "../../store/store.ts"

type Snapshots = Pick<Store["snapshots"], "get">

const mostRemembered = 1_000
const remembered = new WeakMap<Snapshots, Map<string, Limits>>()

/** Returns the limits of settings, which never change: lists would otherwise read the settings of every run again. */
const snapshotLimits = async (snapshots: Snapshots, hash: string): Promise<Limits | undefined> => {
  const known = remembered.get(snapshots) ?? new Map<string, Limits>()
  remembered.set(snapshots, known)
  const limits = known.get(hash) ?? (await snapshots.get(hash))?.limits
  if (limits === undefined) return undefined
  if (known.size >= mostRemembered) known.clear()
  known.set(hash, limits)
  return limits
}

const sumOf = (left: number | null, right: number | null): number | null =>
  left === null || right === null ? null : left + right

const usedLimits = (
  limits: Limits,
  run: RunRow,
  usage: Awaited<ReturnType<Store["usage"]["total"]>>,
): SessionLimits => {
  const { spending } = run
  const { microUsd = limits.budgetMicroUsd, tokens = limits.budgetTokens } = spending?.budget ?? {}
  return {
    max_steps: { limit: limits.maxSteps, used: run.stepsTaken },
    timeout_seconds: {
      limit: limits.timeoutSeconds === 0 ? null : limits.timeoutSeconds,
      used: Math.round(spending?.ranMs ?? 0) / 1_000,
    },
    budget_usd: { limit: usdOf(microUsd), used: usdOf(sumOf(usage.costMicroUsd, spending?.childrenMicroUsd ?? 0)) },
    budget_tokens: { limit: tokens, used: countedTokens(usage) + (spending?.childrenTokens ?? 0) },
  }
}

/** Returns the limits of a session's latest run with what it has used; null before the first run. */
export const limitsView = async (
  store: Pick<Store, "runs" | "usage" | "snapshots">,
  { id, runId }: Pick<SessionRow, "id" | "runId">,
): Promise<SessionLimits | null> => {
  const run = runId === null ? undefined : await store.runs.get(runId)
  const limits = run === undefined ? undefined : await snapshotLimits(store.snapshots, run.snapshotHash)
  if (run === undefined || limits === undefined) return null
  return usedLimits(limits, run, await store.usage.total({ sessionId: id, runId: run.runId }))
}
