import { ApplicationFailure } from "@temporalio/activity"
import type { RunSnapshot } from "../../../contracts/run-snapshot.ts"
import type { ChildUse } from "../../../domain/limits/child-state.ts"
import { childSessionKey } from "../../../domain/transcript/session-key.ts"
import { digitsOf } from "../../../sessions/session-id.ts"
import { placeOfSession } from "../../../sessions/rows/session-place.ts"
import { startDetail } from "../../../sessions/audit/start-detail.ts"
import type { SpawnPlan } from "../../../sessions/spawn/plan-spawn.ts"
import type { NewSession, SessionRow } from "../../../store/store.ts"
import { delegationKey, type DelegationCall, formerKeyOf } from "../delegation-call.ts"
import { type SpawnDirective, writeChildRun } from "./write-child-run.ts"

interface NewChild {
  readonly plan: SpawnPlan
  readonly settings: RunSnapshot
  readonly tool: string
  readonly use: ChildUse
}

const idLengths = [6, 7, 8, 10, 12, 16, 24]

/** Returns the child that an earlier attempt of the call has written; undefined if there is none. */
export const writtenChild = async (delegation: DelegationCall): Promise<SessionRow | undefined> => {
  const { store } = delegation.deps
  const spawnKey = delegationKey(delegation)
  const digits = digitsOf(`${store.storeId}/${spawnKey}`)
  for (const length of idLengths) {
    const row = await store.sessions.get(digits.slice(-length))
    if (row === undefined || row.internal["spawnKey"] === spawnKey) return row
  }
  return undefined
}

/**
 * Returns the call under the key of earlier versions if an attempt of theirs has written its child, and the child has not begun: nothing has started it yet. One
 * that has begun may be that of another call, which had the place before a reset.
 */
export const withFormerKey = async (delegation: DelegationCall): Promise<DelegationCall> => {
  const former = { ...delegation, formerKey: formerKeyOf(delegation) }
  const child = await writtenChild(former)
  return child?.status === "pending" && child.internal["tool"] === delegation.call.name ? former : delegation
}

const runIdOf = (delegation: DelegationCall): string => `run_${digitsOf(`run/${delegationKey(delegation)}`).slice(-20)}`

/** Returns the settings with which an earlier attempt of the call has written the child's run; undefined if there is none. */
export const writtenSettings = async (delegation: DelegationCall): Promise<RunSnapshot | undefined> => {
  const { store } = delegation.deps
  const run = await store.runs.get(runIdOf(delegation))
  return run === undefined ? undefined : await store.snapshots.get(run.snapshotHash)
}

/** Claims an id for the child and writes its row, unless an earlier attempt of this call did. */
const claimRow = async (delegation: DelegationCall, { plan, settings, tool }: NewChild): Promise<SessionRow> => {
  const { store, redact } = delegation.deps
  const { session } = delegation
  const { warning } = plan
  const place = await placeOfSession(store, session.id)
  const spawnKey = delegationKey(delegation)
  const digits = digitsOf(`${store.storeId}/${spawnKey}`)
  for (const length of idLengths) {
    const id = digits.slice(-length)
    const row: NewSession = {
      id,
      sessionKey: childSessionKey(settings.agent, session.sessionKey, id),
      title: redact(plan.title),
      agent: settings.agent,
      model: settings.model,
      parentId: session.id,
      rootId: session.rootId,
      depth: session.depth + 1,
      cwd: settings.cwd,
      label: plan.label ?? null,
      metadata: {},
      internal: { tool, ...plan.internal, ...(warning === undefined ? {} : { warning }), spawnKey },
      place,
    }
    await store.sessions.create(row)
    const existing = await store.sessions.get(id)
    if (existing?.internal["spawnKey"] === spawnKey) return existing
  }
  throw ApplicationFailure.create({ message: "no free session id was found", type: "storage_failed" })
}

/** Writes everything that the child's workflow needs, and returns what the parent's workflow needs to start it. */
export const createChild = async (delegation: DelegationCall, child: NewChild): Promise<SpawnDirective> => {
  const { plan, settings, use } = child
  const row = await claimRow(delegation, child)
  const run = await writeChildRun(delegation.deps.store, row, {
    runId: runIdOf(delegation),
    settings,
    messageId: `msg_${digitsOf(`message/${delegationKey(delegation)}`).slice(-20)}`,
    source: "instruction",
    text: plan.instruction,
  })
  await delegation.deps.store.audit.record({
    ...{ key: `start:${run.run.run_id}`, sessionId: row.id, runId: run.run.run_id, action: "spawn" },
    ...{ by: `agent:${delegation.session.id}`, via: "parent", kind: "model", hash: run.run.snapshot_hash },
    detail: { tool: child.tool, agent: settings.agent, ...startDetail(settings) },
  })
  return { kind: "spawn", use, child: run }
}
