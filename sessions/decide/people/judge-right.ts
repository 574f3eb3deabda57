import { AdjutantError } from "../../../contracts/adjutant-error.ts"
import type { CallDecision } from "../../../contracts/approval/decision.ts"
import { notIncluded } from "../../../domain/calls/apply-decision.ts"
import { ruleFor } from "../../../domain/people/approval-rule.ts"
import { noApprovals, rightToDecide } from "../../../domain/people/right-to-decide.ts"
import type { PauseRow } from "../../../store/store.ts"
import { auditedActor } from "../../actor.ts"
import { personOfActor } from "../../authority/person-of-actor.ts"
import type { SessionsContext } from "../../sessions-context.ts"
import { approvalsOfCall } from "./approvals-of-call.ts"
import type { DecideRequest } from "../../decide-request.ts"
import { callsHash } from "../decision-record.ts"
import { countedAction } from "../../pauses/pause-decisions.ts"

/** A decision on one call of the pause, and whether the request names the call. */
interface Touched {
  readonly call: PauseRow["calls"][number]
  readonly decision: CallDecision
}

/** Returns the pause with the rules as they are configured now: it can be open for longer than they last. */
const withPresentRules = ({ loaded }: Pick<SessionsContext, "loaded">, pause: PauseRow): PauseRow => ({
  ...pause,
  calls: pause.calls.map((call) => {
    const rule = ruleFor(loaded.config.approvals, call.name) ?? call.rule
    return rule === undefined ? call : { ...call, rule }
  }),
})

const touchedBy = ({ decisions = {}, all, unlisted }: DecideRequest, { calls }: PauseRow): readonly Touched[] => {
  const left = new Set(notIncluded(all, calls).map(({ id }) => id))
  return calls.flatMap((call) => {
    const named = Object.hasOwn(decisions, call.id) ? decisions[call.id] : undefined
    const forAll = left.has(call.id) ? undefined : all
    const others = all === undefined && unlisted === "reject" ? ({ action: "reject" } as const) : undefined
    const decision = named ?? forAll ?? others
    return decision === undefined ? [] : [{ call, decision }]
  })
}

/** What a request still decides, once what only counts is taken out, and what was counted. */
export interface JudgedRight {
  /** Undefined: nothing is left to send. */
  readonly request: DecideRequest | undefined
  /** For each call that was approved, and needs further people: what is missing. */
  readonly counted: readonly string[]
}

const rightOn = async (context: SessionsContext, request: DecideRequest, pause: PauseRow, touched: Touched) => {
  const { loaded, store } = context
  const { actor } = request
  const { call, decision } = touched
  const { sessionId, checkpointId } = pause
  const session = await store.sessions.get(sessionId)
  const approvals =
    call.rule === undefined
      ? noApprovals
      : await approvalsOfCall(store, { sessionId, checkpointId, callId: call.id, rule: call.rule })
  return rightToDecide(
    loaded.config.people,
    { person: personOfActor(loaded, actor), kind: actor.kind ?? "program" },
    { call: { ...call, profile: session?.agent ?? "" }, action: decision.action, approvals },
  )
}

/** Records an approval that its rule counts, before anybody counts: of two people who approve at the same time, one completes it. */
const count = async (context: SessionsContext, { actor }: DecideRequest, pause: PauseRow, call: Touched["call"]) => {
  const { sessionId, runId, checkpointId } = pause
  const person = personOfActor(context.loaded, actor)
  await context.store.audit.record(
    {
      ...{ key: `counted:${checkpointId}:${call.id}:${person}`, sessionId, runId, action: countedAction },
      ...auditedActor(actor),
      hash: callsHash([call]),
      detail: { checkpoint_id: checkpointId, decisions: { [call.id]: "accept" }, person },
    },
    "power-cut",
  )
}

/**
 * Requires the right to decide about every call that a request decides, and counts the approvals of calls that need several people.
 * @throws AdjutantError `forbidden`: no part of the request counts then
 */
export const judgeRight = async (
  context: SessionsContext,
  request: DecideRequest,
  opened: PauseRow,
): Promise<JudgedRight> => {
  const pause = withPresentRules(context, opened)
  const touched = touchedBy(request, pause)
  const first = await Promise.all(touched.map((each) => rightOn(context, request, pause, each)))
  const refused = first.flatMap((right) => (right.right === "none" ? [right.why] : []))
  if (refused.length > 0)
    throw new AdjutantError(
      "forbidden",
      `${refused.join("; ")}${refused.length < touched.length ? "; decide the others by id" : ""}`,
    )
  const rest: Record<string, CallDecision> = {}
  const counted: string[] = []
  for (const each of touched) {
    const { call, decision } = each
    if (decision.action === "accept" && (call.rule?.require ?? 1) > 1) {
      await count(context, request, pause, call)
      const right = await rightOn(context, request, pause, each)
      if (right.right === "counts") {
        counted.push(right.missing)
        continue
      }
    }
    rest[call.id] = decision
  }
  if (counted.length === 0) return { request, counted }
  const { all: _, ...others } = request
  const isEmpty = Object.keys(rest).length === 0
  return { request: isEmpty ? undefined : { ...others, decisions: rest, unlisted: "pending" }, counted }
}
