import type { AdjutantError } from "../../../contracts/adjutant-error.ts"
import { isAdjutantError } from "../../../contracts/adjutant-error.ts"
import type { ConfigInput } from "../../../contracts/config/config.ts"
import { isFinal } from "../../../domain/run/is-final.ts"
import type { SessionRow } from "../../../store/store.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createHeldModel, type HeldModel, type RecordedCall } from "../../helpers/models/held-model.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"

export const actor = { by: "test", via: "cli" }

const scripted = (model: string) => ({
  provider: "scripted" as const,
  script: "unused.yaml",
  model,
  maxOutputTokens: 1_000,
})

export const deniedToSubagents = "Edit"

const config: ConfigInput = {
  models: { main: scripted("m"), strong: scripted("s"), light: scripted("w") },
  modelTiers: [["strong"], ["main"], ["light"]],
  agents: {
    general: { delegation: "sessions", subagents: { allowAgents: ["*"] } },
    wide: {
      model: "strong",
      maxSteps: 200,
      delegation: "sessions",
      subagents: { maxSpawnDepth: 5, maxChildrenPerAgent: 20 },
    },
    tasker: { delegation: "tasks" },
  },
  subagents: { maxSpawnDepth: 3, maxChildrenPerAgent: 2, maxConcurrent: 0, downgrade: false },
  tools: { policy: { Write: "prompt", Bash: "never" }, subagents: { deny: [deniedToSubagents] } },
  timing: { continueAsNewAfterEvents: 45 },
}

/** A call of a model with its session's run and that run's settings at the time: an answer may narrow a run. */
export interface PlacedCall extends RecordedCall {
  readonly runId: string
  readonly snapshotHash: string
}

/** An engine, a worker, and sessions whose models wait for the test's replies. */
export interface Rig extends Harness {
  readonly model: HeldModel
  readonly calls: readonly PlacedCall[]
  /** Approved calls, as `<session> <call id>`. */
  readonly approved: Set<string>
  /** Sessions of earlier sequences. */
  readonly past: Set<string>
  /** Sessions that a user cancelled, with the run that they were in. */
  readonly cancelled: Map<string, string | null>
}

export const openRig = async (): Promise<Rig> => {
  const calls: PlacedCall[] = []
  const opened: { harness?: Harness } = {}
  const model = createHeldModel(async (call) => {
    const row = await opened.harness?.store.sessions.get(call.sessionId)
    const run = await opened.harness?.store.runs.get(row?.runId ?? "")
    calls.push({ ...call, runId: run?.runId ?? "", snapshotHash: run?.snapshotHash ?? "" })
  })
  const harness = await openHarness({ model: model.provider, config })
  opened.harness = harness
  return { ...harness, model, calls, approved: new Set(), past: new Set(), cancelled: new Map() }
}

/** Returns the sessions of the present sequence, oldest first. */
export const sessionsOf = async ({ store, past }: Rig): Promise<readonly SessionRow[]> => {
  const { items } = await store.sessions.list({ limit: 1_000, includeArchived: true })
  return items
    .filter(({ id }) => !past.has(id))
    .toSorted((left, right) => left.createdAt.localeCompare(right.createdAt))
}

export const hasOpenBelow = (row: SessionRow, rows: readonly SessionRow[]): boolean =>
  rows.some((other) => other.parentId === row.id && !isFinal(other.status))

const isQuiet = (rig: Rig, row: SessionRow, rows: readonly SessionRow[]): boolean =>
  row.runId === null ||
  isFinal(row.status) ||
  row.status === "paused" ||
  rig.model.isWaiting(row.id) ||
  hasOpenBelow(row, rows)

/** Waits until every session has ended, or waits for a person, its model or its sub-agents. */
export const settle = (rig: Rig): Promise<void> =>
  eventually(async () => {
    const rows = await sessionsOf(rig)
    return rows.every((row) => isQuiet(rig, row, rows))
  })

/** Rejections that a user would see and that a random sequence causes. */
export const orRefused = async <T>(action: Promise<T>): Promise<T | AdjutantError> => {
  try {
    return await action
  } catch (error) {
    if (isAdjutantError(error)) return error
    throw error
  }
}

/** Excludes the sessions so far from later checks, so that the next sequence is independent. */
export const forget = async (rig: Rig): Promise<void> => {
  for (const { id } of await sessionsOf(rig)) rig.past.add(id)
}

/** Stops everything, so that the next sequence begins with an idle worker. */
export const stopAll = async (rig: Rig): Promise<void> => {
  for (const row of await sessionsOf(rig))
    if (row.runId !== null && !isFinal(row.status)) {
      const { runId } = (await rig.store.sessions.get(row.id)) ?? row
      await rig.client.cancel(row.id, actor)
      rig.cancelled.set(row.id, runId)
    }
  await eventually(async () => (await sessionsOf(rig)).every((row) => row.runId === null || isFinal(row.status)))
}
