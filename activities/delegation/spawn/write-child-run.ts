import type { UserSource } from "../../../contracts/message.ts"
import type { RunSnapshot } from "../../../contracts/run-snapshot.ts"
import { agentWorkflowType } from "../../../domain/engine/engine-names.ts"
import { reserveOf } from "../../../domain/limits/child-share.ts"
import { acceptInstruction } from "../../../sessions/messages/accept-instruction.ts"
import type { SessionRow, Store } from "../../../store/store.ts"
import type { DelegationDirective } from "../../contract/delegation-activities.ts"

export type SpawnDirective = Extract<DelegationDirective, { kind: "spawn" }>

/** A run of a child session that exists. */
export interface ChildRun {
  readonly runId: string
  readonly settings: RunSnapshot
  readonly messageId: string
  readonly source: UserSource
  readonly text: string
}

/** Writes everything that the workflow of a child needs for a run, and returns what the parent's workflow needs to start it. */
export const writeChildRun = async (
  store: Pick<Store, "snapshots" | "runs" | "inbox" | "messages">,
  row: SessionRow,
  { runId, settings, messageId, source, text }: ChildRun,
): Promise<SpawnDirective["child"]> => {
  if (row.number === null) throw new Error(`session ${row.id} has no number among the sub-agents of its parent`)
  const snapshotHash = await store.snapshots.put(settings)
  const run = { run_id: runId, snapshot_hash: snapshotHash }
  await store.runs.create({ runId, sessionId: row.id, snapshotHash })
  await acceptInstruction(store, { id: messageId, sessionId: row.id, runId, source, text })
  return {
    id: row.id,
    workflowType: agentWorkflowType(settings.type),
    run,
    message: { id: messageId, type: "message", source, new_run: run },
    label: row.label,
    agent: row.agent,
    model: settings.model,
    title: row.title ?? row.id,
    number: row.number,
    rootId: row.rootId,
    depth: row.depth,
    reserved: reserveOf(settings.limits),
  }
}
