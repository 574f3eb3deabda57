import type { CallDecision } from "../../contracts/approval/decision.ts"
import type { PauseRow, Store } from "../../store/store.ts"

type Action = CallDecision["action"]

/** The decisions made so far on the calls of one pause. */
export interface PauseDecisions {
  readonly actions: ReadonlyMap<string, Action>
  /** Ids of the decisions that were sent and not refused, according to this store. */
  readonly decisionIds: ReadonlySet<string>
  /** Who decided each call, as far as the audit log knows: the first of several. */
  readonly deciders: ReadonlyMap<string, Decider>
}

export interface Decider {
  readonly by: string
  readonly at: string
}

export const decideAction = "decide"
export const decideRefusedAction = "decide-refused"
/** An approval that counts for the rule of a call, and does not complete it. */
export const countedAction = "decide-counted"

export const isAction = (value: unknown): value is Action =>
  value === "accept" || value === "reject" || value === "edit" || value === "custom_result"

const actionsIn = (value: unknown): readonly (readonly [string, Action])[] =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([id, action]) => (isAction(action) ? [[id, action] as const] : []))
    : []

const maxEvents = 1_000
export const maxAuditRows = 500

/** Returns the last events of a session, in order. */
export const readLastEvents = async ({ events: log }: Pick<Store, "events">, sessionId: string) => {
  const { lastId } = await log.read(sessionId, { after: 0, limit: 1 })
  const { events } = await log.read(sessionId, { after: Math.max(0, lastId - maxEvents), limit: maxEvents })
  return events
}

const recordedEvents = async (store: Pick<Store, "events">, sessionId: string) =>
  (await readLastEvents(store, sessionId)).filter(({ type }) => type === "decision-recorded")

/** Returns the decisions that the workflow recorded, from any sender. A record follows its decision after a moment. */
export const recordedDecisions = async (
  store: Pick<Store, "events">,
  pause: Pick<PauseRow, "sessionId" | "checkpointId">,
): Promise<readonly (readonly [string, Action])[]> =>
  (await recordedEvents(store, pause.sessionId))
    .filter((event) => event["checkpoint_id"] === pause.checkpointId)
    .flatMap((event) => actionsIn(event["decisions"]))

/** Returns the audit rows of the decisions that were sent to a session and not refused, the latest first. */
export const sentDecisions = async (store: Pick<Store, "audit">, sessionId: string) => {
  const rows = await store.audit.list({ sessionId, limit: maxAuditRows })
  const refused = new Set(
    rows.filter(({ action }) => action === decideRefusedAction).map(({ detail }) => detail["decision_id"]),
  )
  return rows.filter(({ action, detail }) => action === decideAction && !refused.has(detail["decision_id"]))
}

/** Returns the ids of the calls that were decided on other pauses of a session. */
export const decidedElsewhere = async (
  store: Pick<Store, "audit" | "events">,
  { sessionId, checkpointId }: Pick<PauseRow, "sessionId" | "checkpointId">,
): Promise<ReadonlySet<string>> => {
  const sent = (await sentDecisions(store, sessionId)).map(({ detail }) => detail)
  const all = [...sent, ...(await recordedEvents(store, sessionId))]
  const others = all.filter((decision) => decision["checkpoint_id"] !== checkpointId)
  return new Set(others.flatMap((decision) => actionsIn(decision["decisions"]).map(([id]) => id)))
}

const auditedDecisions = async (store: Pick<Store, "audit">, pause: PauseRow): Promise<PauseDecisions> => {
  const rows = await sentDecisions(store, pause.sessionId)
  const sent = rows.filter((row) => row.detail["checkpoint_id"] === pause.checkpointId)
  const deciders = sent.flatMap(({ by, at, detail }) =>
    actionsIn(detail["decisions"]).map(([id]): readonly [string, Decider] => [id, { by, at }]),
  )
  return {
    deciders: new Map(deciders),
    actions: new Map(sent.toReversed().flatMap((row) => actionsIn(row.detail["decisions"]))),
    decisionIds: new Set(sent.map((row) => String(row.detail["decision_id"]))),
  }
}

/** Returns the decisions on a pause's calls: from the audit log, which is written first, and from the event log, which contains what took effect. */
export const loadPauseDecisions = async (
  store: Pick<Store, "events" | "audit">,
  pause: PauseRow,
): Promise<PauseDecisions> => {
  const audited = await auditedDecisions(store, pause)
  return { ...audited, actions: new Map([...audited.actions, ...(await recordedDecisions(store, pause))]) }
}
