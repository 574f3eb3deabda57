import { expect } from "vitest"
import type { RunSnapshot } from "../../../contracts/run-snapshot.ts"
import { allowedModel } from "../../../domain/models/allowed-model.ts"
import { isFinal } from "../../../domain/run/is-final.ts"
import { judgeSettings } from "../../helpers/approval/call-facts.ts"
import {
  builtinToolNames,
  delegationToolsOf,
  isAllowedTool,
  isDelegationTool,
} from "../../../domain/tools/tool-names.ts"
import { countedTokens } from "../../../domain/limits/usage-totals.ts"
import type { RunRow, SessionRow } from "../../../store/store.ts"
import { expectLimitsWithin } from "../../helpers/limits/expect-limits-within.ts"
import { deniedToSubagents, type Rig, sessionsOf } from "./limits-rig.ts"

/** A run with its settings, and the run in which it was spawned. */
interface KnownRun extends RunRow {
  readonly snapshot: RunSnapshot
  /** Its settings when it first called its model. */
  readonly atFirst: RunSnapshot
  readonly session: SessionRow
  readonly spawnedBy: string | null
}

const knownRuns = async (rig: Rig, rows: readonly SessionRow[]): Promise<readonly KnownRun[]> => {
  const found: KnownRun[] = []
  for (const session of rows)
    for (const [index, run] of (await rig.store.runs.list(session.id)).entries()) {
      const snapshot = await rig.store.snapshots.get(run.snapshotHash)
      if (snapshot === undefined) throw new Error(`run ${run.runId} has no settings`)
      const { spawnKey } = session.metadata
      const spawnedBy = index === 0 && typeof spawnKey === "string" ? (spawnKey.split("/")[1] ?? null) : null
      const first = rig.calls.find(({ runId }) => runId === run.runId)?.snapshotHash ?? run.snapshotHash
      const atFirst = (await rig.store.snapshots.get(first)) ?? snapshot
      expectLimitsWithin(snapshot, atFirst, builtinToolNames)
      found.push({ ...run, snapshot, atFirst, session, spawnedBy })
    }
  return found
}

/**
 * Returns the settings that a run must not exceed: those of its session's earlier runs, and of the first runs
 * of its ancestors.
 */
const ceilingsOf = (run: KnownRun, runs: readonly KnownRun[]): readonly RunSnapshot[] => {
  const own = runs.filter(({ sessionId }) => sessionId === run.sessionId)
  const earlier = own.slice(
    0,
    own.findIndex(({ runId }) => runId === run.runId),
  )
  const spawner = runs.filter(({ runId }) => runId === run.spawnedBy)
  const origin = run.session.parentId ?? run.session.metadata["forked_from"]
  const above = runs.find(({ sessionId }) => sessionId === origin)
  const ofAbove = above === undefined ? [] : [above.snapshot, ...ceilingsOf(above, runs)]
  return [...[...earlier, ...spawner].map(({ snapshot }) => snapshot), ...ofAbove]
}

const expectOffersAllowed = async (rig: Rig, runs: readonly KnownRun[]): Promise<void> => {
  for (const call of rig.calls.filter(({ sessionId }) => !rig.past.has(sessionId))) {
    const run = runs.find(({ runId }) => runId === call.runId)
    if (run === undefined) throw new Error(`a model call of ${call.sessionId} belongs to no run`)
    const { session } = run
    const snapshot = (await rig.store.snapshots.get(call.snapshotHash)) ?? run.snapshot
    const ordinary = call.tools.filter((name) => !isDelegationTool(name) && name !== "finish")
    expect(ordinary.filter((name) => !isAllowedTool(snapshot, name))).toEqual([])
    if (session.depth > 0) expect(ordinary).not.toContain(deniedToSubagents)
    const delegation = call.tools.filter((name) => isDelegationTool(name))
    const allowed = session.depth >= snapshot.subagents.maxSpawnDepth ? [] : delegationToolsOf(snapshot)
    expect(delegation.filter((name) => !allowed.includes(name))).toEqual([])
    const used = Object.keys(snapshot.models).find((name) => snapshot.models[name]?.model === call.model) ?? ""
    expect(allowedModel(snapshot, used)).toBe(used)
  }
}

/** Expects that only calls ran that policy allows or that were approved. */
const expectOnlyApproved = async (rig: Rig, runs: readonly KnownRun[]): Promise<void> => {
  for (const session of new Set(runs.map((run) => run.session)))
    for (const { message, runId } of await rig.store.messages.read(session.id, { headSeq: session.headSeq })) {
      const run = runs.find((each) => each.runId === runId)
      if (message.role !== "tool" || message.outcome !== "ok" || run?.sessionId !== session.id) continue
      const verdict = judgeSettings({ name: message.name, readOnly: message.name === "LS" }, run.atFirst)
      if (verdict !== "run") expect(rig.approved).toContain(`${session.id} ${message.call_id}`)
    }
}

const tokensOf = async (rig: Rig, run: KnownRun, runs: readonly KnownRun[]): Promise<number> => {
  const own = countedTokens(await rig.store.usage.total({ sessionId: run.sessionId, runId: run.runId }))
  const children = runs.filter(({ spawnedBy }) => spawnedBy === run.runId)
  const below = await Promise.all(children.map((child) => tokensOf(rig, child, runs)))
  return below.reduce((sum, tokens) => sum + tokens, own)
}

const expectWithinBudgets = async (rig: Rig, runs: readonly KnownRun[]): Promise<void> => {
  for (const run of runs) {
    expect(run.stepsTaken).toBeLessThanOrEqual(run.atFirst.limits.maxSteps)
    const { budgetTokens } = run.atFirst.limits
    if (budgetTokens !== null) expect(await tokensOf(rig, run, runs)).toBeLessThanOrEqual(budgetTokens)
  }
}

/** Expects that nothing is running that a cancelled run has spawned, at any depth. */
const expectCancelledBelow = (rig: Rig, runs: readonly KnownRun[]): void => {
  const gone = new Set([...rig.cancelled.values()].filter((runId) => runId !== null))
  for (let before = -1; before !== gone.size;) {
    before = gone.size
    for (const run of runs) if (run.spawnedBy !== null && gone.has(run.spawnedBy)) gone.add(run.runId)
  }
  const alive = runs.filter(({ runId, status }) => gone.has(runId) && !isFinal(status))
  expect(alive.map(({ sessionId, status }) => `${sessionId} ${status}`)).toEqual([])
}

/** Expects everything that must be true at any moment, in every session. */
export const expectLimitsHold = async (rig: Rig): Promise<void> => {
  const rows = await sessionsOf(rig)
  const runs = await knownRuns(rig, rows)
  for (const run of runs)
    for (const ceiling of ceilingsOf(run, runs)) expectLimitsWithin(run.snapshot, ceiling, builtinToolNames)
  await expectOffersAllowed(rig, runs)
  await expectOnlyApproved(rig, runs)
  await expectWithinBudgets(rig, runs)
  expectCancelledBelow(rig, runs)
  for (const row of rows) {
    const current = runs.find(({ runId }) => runId === row.runId)
    if (current === undefined) continue
    const shown = await rig.client.info(row.id)
    if (shown.run_id === current.runId) expect(allowedModel(current.snapshot, shown.model)).toBe(shown.model)
  }
}
