import type { CallRule } from "../../../domain/people/approval-rule.ts"
import type { ApprovalsOfCall } from "../../../domain/people/right-to-decide.ts"
import { isRecord } from "../../../domain/text/is-record.ts"
import type { AuditRow, Store } from "../../../store/store.ts"
import {
  countedAction,
  decideAction,
  decideRefusedAction,
  maxAuditRows,
  readLastEvents,
} from "../../pauses/pause-decisions.ts"

type Reading = Pick<Store, "audit" | "events" | "sessions">

/** Returns the checkpoint of the pause that asked about a call last. */
const latestCheckpoint = async (store: Reading, sessionId: string, callId: string): Promise<string | undefined> => {
  const asked = (await readLastEvents(store, sessionId)).findLast(({ type, pause_reason: reason }) => {
    const calls = type === "run-paused" && isRecord(reason) ? reason["pending_tool_calls"] : undefined
    return Array.isArray(calls) && calls.some((call: unknown) => isRecord(call) && call["id"] === callId)
  })
  const checkpointId = asked?.["checkpoint_id"]
  return typeof checkpointId === "string" ? checkpointId : undefined
}

const actionIn = ({ detail }: AuditRow, callId: string): unknown => {
  const { decisions } = detail
  return isRecord(decisions) && Object.hasOwn(decisions, callId) ? decisions[callId] : undefined
}

const namesIn = (rows: readonly AuditRow[]): readonly string[] => [
  ...new Set(rows.flatMap(({ detail: { person } }) => (typeof person === "string" ? [person] : []))),
]

/** Returns the people who approved a call on a pause. If it got other arguments there, what was approved before is another call. */
const approvedBy = async (store: Reading, sessionId: string, on: { readonly checkpointId: string; callId: string }) => {
  const rows = (await store.audit.list({ sessionId, limit: maxAuditRows })).filter(
    ({ detail }) => detail["checkpoint_id"] === on.checkpointId,
  )
  const refused = new Set(
    rows.filter(({ action }) => action === decideRefusedAction).map(({ detail }) => detail["decision_id"]),
  )
  const counted = rows.filter(
    ({ action, detail }) =>
      action === countedAction || (action === decideAction && !refused.has(detail["decision_id"])),
  )
  const edits = counted.filter((row) => actionIn(row, on.callId) === "edit")
  if (edits.length > 0) return edits.length === 1 ? namesIn(edits) : []
  return namesIn(counted.filter((row) => actionIn(row, on.callId) === "accept"))
}

const workActions: ReadonlySet<string> = new Set([
  "start",
  "spawn",
  "create",
  "fork",
  "message",
  "follow_up",
  "steering",
])

/** Returns the people who gave a session work, or one above it: a run also starts what its agents delegate. */
const startedBy = async (store: Reading, sessionId: string): Promise<readonly string[]> => {
  const found: AuditRow[] = []
  for (let id: string | null = sessionId; id !== null; id = (await store.sessions.get(id))?.parentId ?? null) {
    let rows = await store.audit.list({ sessionId: id, limit: maxAuditRows })
    while (rows.length > 0) {
      found.push(...rows.filter(({ action }) => workActions.has(action)))
      const last = rows.at(-1)
      rows =
        last === undefined || rows.length < maxAuditRows
          ? []
          : await store.audit.list({ sessionId: id, beforeId: last.id, limit: maxAuditRows })
    }
  }
  return namesIn(found)
}

/** Returns who has approved a call on the pause that asks about it, by the audit, which only programs with this store write. */
export const approvalsOfCall = async (
  store: Reading,
  {
    sessionId,
    callId,
    rule,
    ...asked
  }: {
    readonly sessionId: string
    readonly callId: string
    readonly rule: CallRule
    /** Default: the pause that asked about it last. */
    readonly checkpointId?: string
  },
): Promise<ApprovalsOfCall> => {
  const checkpointId = asked.checkpointId ?? (await latestCheckpoint(store, sessionId, callId))
  return {
    approvedBy: checkpointId === undefined ? [] : await approvedBy(store, sessionId, { checkpointId, callId }),
    startedBy: rule.notOwn ? await startedBy(store, sessionId) : [],
  }
}
