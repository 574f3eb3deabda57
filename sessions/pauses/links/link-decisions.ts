import { isRecord } from "../../../domain/text/is-record.ts"
import type { PauseRow, Store } from "../../../store/store.ts"
import { decideAction, decideRefusedAction, isAction, maxAuditRows, readLastEvents } from "../pause-decisions.ts"
import type { LinkedDecision } from "./link.ts"

type Context = Pick<Store, "events" | "audit">

/** Returns the summaries of a pause's calls, by id, as they were when it opened: a row has only those that are pending. */
const summariesOf = async (store: Context, { sessionId, checkpointId }: PauseRow) => {
  const events = await readLastEvents(store, sessionId)
  const opened = events.find((event) => event.type === "run-paused" && event["checkpoint_id"] === checkpointId)
  const reason = opened?.["pause_reason"]
  const calls = isRecord(reason) && Array.isArray(reason["pending_tool_calls"]) ? reason["pending_tool_calls"] : []
  return new Map<string, string>(
    calls.flatMap((call: unknown) =>
      isRecord(call) && isRecord(call["preview"]) ? [[String(call["id"]), String(call["preview"]["summary"])]] : [],
    ),
  )
}

/** Returns who decided what on a pause, the oldest decision first, from the audit. */
export const linkDecisions = async (store: Context, pause: PauseRow): Promise<readonly LinkedDecision[]> => {
  const rows = await store.audit.list({ sessionId: pause.sessionId, limit: maxAuditRows })
  const own = rows.filter(({ detail }) => detail["checkpoint_id"] === pause.checkpointId)
  const refused = new Set(
    own.flatMap(({ action, detail }) => (action === decideRefusedAction ? [detail["decision_id"]] : [])),
  )
  const summaries = await summariesOf(store, pause)
  return own
    .filter(({ action, detail }) => action === decideAction && !refused.has(detail["decision_id"]))
    .toReversed()
    .flatMap(({ by, via, at, detail: { decisions } }) =>
      Object.entries(isRecord(decisions) ? decisions : {}).flatMap(([id, action]) =>
        isAction(action) ? [{ call: summaries.get(id) ?? id, action, by, via, at }] : [],
      ),
    )
}
