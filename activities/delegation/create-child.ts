import { createHash } from "node:crypto"
import { ApplicationFailure } from "@temporalio/activity"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import type { ChildUse, Reserve } from "../../domain/limits/child-state.ts"
import { agentWorkflowType } from "../../domain/engine/engine-names.ts"
import { childSessionKey } from "../../domain/transcript/session-key.ts"
import type { NewSession, SessionRow } from "../../store/store.ts"
import type { DelegationDirective } from "../contract/delegation-activities.ts"
import type { DelegationCall } from "./delegation-call.ts"

export interface NewChild {
  readonly snapshot: RunSnapshot
  readonly title: string
  readonly label: string | null
  readonly instruction: string
  readonly use: ChildUse
  readonly reserved: Reserve
  readonly metadata: Readonly<Record<string, unknown>>
}

const idLengths = [6, 7, 8, 10, 12, 16, 24]

/** The same call always names the same child, so that a retry finds what it wrote. */
const spawnKeyOf = ({ input }: DelegationCall): string => `${input.sessionId}/${input.runId}/${input.resultSeq}`

const digitsOf = (text: string): string =>
  BigInt(`0x${createHash("sha256").update(text).digest("hex")}`)
    .toString(36)
    .padStart(50, "0")

/** Claims an id for the child and writes its row, unless an earlier attempt of this call did. */
const claimRow = async (delegation: DelegationCall, child: NewChild): Promise<SessionRow> => {
  const { store } = delegation.deps
  const { session } = delegation
  const spawnKey = spawnKeyOf(delegation)
  const digits = digitsOf(`${store.storeId}/${spawnKey}`)
  for (const length of idLengths) {
    const id = digits.slice(-length)
    const row: NewSession = {
      id,
      sessionKey: childSessionKey(child.snapshot.agent, session.sessionKey, id),
      title: child.title,
      agent: child.snapshot.agent,
      model: child.snapshot.model,
      parentId: session.id,
      rootId: session.rootId,
      depth: session.depth + 1,
      cwd: child.snapshot.cwd,
      label: child.label,
      metadata: { ...child.metadata, spawnKey },
    }
    await store.sessions.create(row)
    const there = await store.sessions.get(id)
    if (there?.metadata["spawnKey"] === spawnKey) return there
  }
  throw ApplicationFailure.create({ message: "no free session id was found", type: "storage_failed" })
}

/** Writes everything that the child's workflow needs, and answers what the parent's workflow needs to start it. */
export const createChild = async (
  delegation: DelegationCall,
  child: NewChild,
): Promise<Extract<DelegationDirective, { kind: "spawn" }>> => {
  const { store } = delegation.deps
  const row = await claimRow(delegation, child)
  const snapshotHash = await store.snapshots.put(child.snapshot)
  const runId = `run_${digitsOf(`run/${spawnKeyOf(delegation)}`).slice(-20)}`
  const messageId = `msg_${digitsOf(`message/${spawnKeyOf(delegation)}`).slice(-20)}`
  const run = { run_id: runId, snapshot_hash: snapshotHash }
  await store.runs.create({ runId, sessionId: row.id, snapshotHash })
  await store.inbox.put({ id: messageId, sessionId: row.id, source: "instruction", text: child.instruction })
  return {
    kind: "spawn",
    use: child.use,
    child: {
      id: row.id,
      workflowType: agentWorkflowType(child.snapshot.type),
      run,
      message: { id: messageId, type: "message", source: "instruction", new_run: run },
      label: child.label,
      agent: child.snapshot.agent,
      model: child.snapshot.model,
      title: child.title,
      rootId: row.rootId,
      depth: row.depth,
      reserved: child.reserved,
    },
  }
}
