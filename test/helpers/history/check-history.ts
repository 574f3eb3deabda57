import { isFinal } from "../../../domain/run/is-final.ts"
import { checkPauses, decisionsOf } from "./check-pauses.ts"
import type { History, SessionHistory } from "./history.ts"

type Check = (history: History) => readonly string[]

const eventsOf = ({ events }: SessionHistory, type: string) => events.filter((event) => event.type === type)

const toolRows = ({ rows }: SessionHistory) =>
  rows.flatMap(({ seq, message }) => (message.role === "tool" ? [{ seq, message }] : []))

const textsOf = ({ rows }: SessionHistory): readonly string[] =>
  rows.flatMap(({ message }) => (message.role === "user" ? [message.text] : []))

/** Returns what is there more than once. */
const repeated = (keys: readonly string[]): readonly string[] => [
  ...new Set(keys.filter((key, index) => keys.indexOf(key) !== index)),
]

/** The ends of a run beyond the first one and one for each time that it was opened again after that. */
const repeatedEnds = (session: SessionHistory): readonly string[] =>
  session.runs.flatMap(({ runId, reopened }) => {
    const ends = session.events.filter(({ type, run_id }) => type === "run-finished" && run_id === runId).length
    return ends > 1 + reopened ? [`run-finished ${runId}`] : []
  })

/** The messages that are in the transcript more often than the run that read them was reset, and once. */
const repeatedMessages = ({ rows, runs }: SessionHistory, told: readonly string[]): readonly string[] =>
  told.filter((text) => {
    const read = rows.filter(({ message }) => message.role === "user" && message.text === text)
    const reopened = runs.find(({ runId }) => runId === read[0]?.runId)?.reopened ?? 0
    return read.length > 1 + reopened
  })

/** A run that was cancelled or timed out need not have done what it was told. */
const wasCut = ({ status }: Pick<SessionHistory, "status">): boolean => status === "cancelled" || status === "timed_out"

const each =
  (check: (session: SessionHistory, history: History) => readonly string[]): Check =>
  (history) =>
    history.sessions.flatMap((session) => check(session, history).map((problem) => `${session.id}: ${problem}`))

/** Nothing that was acknowledged is missing. */
const isThere: Check = ({ told, sessions }) => {
  const byId = new Map(sessions.map((session) => [session.id, session]))
  const ofSession = <T extends { readonly sessionId: string }>(
    acknowledged: readonly T[],
    problemOf: (entry: T, session: SessionHistory) => string | undefined,
  ): readonly string[] =>
    acknowledged.flatMap((entry) => {
      const session = byId.get(entry.sessionId)
      const problem = session === undefined ? "the session is missing" : problemOf(entry, session)
      return problem === undefined ? [] : [`${entry.sessionId}: ${problem}`]
    })
  return [
    ...ofSession(told.messages, ({ text, isSteering }, session) => {
      if (textsOf(session).includes(text)) return undefined
      const neverBegan = wasCut(session) && session.rows.every(({ message }) => message.role === "user")
      const isKept = isSteering === true && isFinal(session.status)
      return neverBegan || isKept ? undefined : `the acknowledged message "${text}" is missing`
    }),
    ...ofSession(told.decisions, ({ callId, action }, session) => {
      const isRecorded = decisionsOf(session).some(
        (decision) => decision.callId === callId && decision.action === action,
      )
      return isRecorded || wasCut(session) ? undefined : `the acknowledged decision ${action} on ${callId} is missing`
    }),
    ...ofSession(told.cancels, (_, session) =>
      isFinal(session.status) ? undefined : `it was cancelled and is ${session.status}`,
    ),
  ]
}

/** Nothing happened twice. */
const happenedOnce: Check = (history) => [
  ...repeated(history.effects.map(({ key }) => key)).map((key) => `the effect ${key} happened more than once`),
  ...each((session) => {
    const keyed = (type: string, key: (event: SessionHistory["events"][number]) => unknown) =>
      repeated(eventsOf(session, type).map((event) => `${type} ${String(key(event))}`))
    const messages = history.told.messages.filter(({ sessionId }) => sessionId === session.id).map(({ text }) => text)
    return [
      ...keyed("run-started", ({ run_id }) => run_id),
      ...repeatedEnds(session),
      ...keyed("tool-finished", (event) => `${String(event["seq"])} ${String(event["call_id"])}`),
      ...keyed("child-finished", (event) => event["child_run_id"]),
      ...repeated(decisionsOf(session).map(({ checkpointId, callId }) => `decision ${checkpointId} ${callId}`)),
      ...repeated(toolRows(session).map(({ message }) => `result of ${message.call_id}`)),
      ...repeatedMessages(session, messages).map((text) => `message "${text}"`),
    ].map((key) => `there more than once: ${key}`)
  })(history),
]

/** Calls did what their results and decisions say. */
const effectsFit: Check = ({ effects, sessions }) =>
  sessions.flatMap((session) => {
    const known = effects.filter(({ call }) => call?.sessionId === session.id)
    if (known.length === 0) return []
    const rejected = new Set(
      decisionsOf(session).flatMap(({ callId, action }) => (action === "reject" ? [callId] : [])),
    )
    return known.flatMap(({ key, call }) => {
      const outcome = toolRows(session).find(({ message }) => message.call_id === call?.callId)?.message.outcome
      if (rejected.has(call?.callId ?? "") || outcome === "rejected")
        return [`${session.id}: ${key} was rejected and ran`]
      return []
    })
  })

/** No event contradicts a row, and the store does not contradict the engine. */
const rowsFit = each((session) => {
  const problems: string[] = []
  const latest = session.runs.find(({ runId }) => runId === session.runId)
  if (latest !== undefined && isFinal(latest.status) && session.status !== latest.status)
    problems.push(`it is ${session.status}, and its run ${latest.status}`)
  for (const run of session.runs) {
    const finished = eventsOf(session, "run-finished").findLast(({ run_id }) => run_id === run.runId)
    if (isFinal(run.status) && finished === undefined && !run.isCopied)
      problems.push(`run ${run.runId} ended without an event`)
    if (finished !== undefined && isFinal(run.status) && finished["status"] !== run.status)
      problems.push(`run ${run.runId} is ${run.status}, and its event says ${String(finished["status"])}`)
  }
  for (const { seq, message } of toolRows(session)) {
    const finished = eventsOf(session, "tool-finished").findLast(
      (event) => event["seq"] === seq && event["call_id"] === message.call_id,
    )
    if (finished !== undefined && finished["outcome"] !== message.outcome)
      problems.push(`${message.call_id} is ${message.outcome}, and its event says ${String(finished["outcome"])}`)
  }
  const isOpen = session.engine === "RUNNING"
  if (isFinal(session.status) && isOpen && !session.staysOpen)
    problems.push(`it is ${session.status}, and runs in the engine`)
  if (!isFinal(session.status) && session.runId !== null && !isOpen)
    problems.push(`it is ${session.status}, and ${session.engine} in the engine`)
  return problems
})

/** What a tree has used is in the runs of its root. */
const usageFits = each((session, { sessions }) => {
  const { runs } = session
  const reported = new Set(eventsOf(session, "child-finished").map((event) => event["child_run_id"]))
  const children = sessions.filter(({ parentId }) => parentId === session.id)
  const isKnown = runs.every(({ status, isLost }) => isFinal(status) && !isLost)
  // A run that a person started in a sub-agent later has another budget.
  const areReported = children.every((child) => child.runs.every(({ runId }) => reported.has(runId)))
  if (children.length === 0 || !isKnown || !areReported) return []
  const tokensOf = (id: string, own: number): number =>
    sessions
      .filter(({ parentId }) => parentId === id)
      .reduce((sum, child) => sum + tokensOf(child.id, child.tokens), own)
  const used = tokensOf(session.id, 0)
  const counted = runs.reduce((sum, { childrenTokens }) => sum + (childrenTokens ?? 0), 0)
  return used === counted ? [] : [`its sub-agents used ${used} tokens, and it counts ${counted}`]
})

/** Sub-agents that their parent started have ended with it, and it knows. */
const childrenEnd = each((session, { sessions }) => {
  if (!isFinal(session.status) || session.runs.some(({ isLost }) => isLost)) return []
  const finished = new Set(eventsOf(session, "child-finished").map((event) => event["child_session_id"]))
  return eventsOf(session, "child-started").flatMap((event) => {
    const id = String(event["child_session_id"])
    const child = sessions.find((other) => other.id === id)
    if (child !== undefined && !isFinal(child.status)) return [`its sub-agent ${id} is ${child.status}`]
    return finished.has(id) ? [] : [`the end of its sub-agent ${id} is not in its events`]
  })
})

/** Compares what clients were told, what calls did, what the store says and what the engine says; returns a sentence for each violation. */
export const checkHistory = (history: History): readonly string[] =>
  [isThere, happenedOnce, effectsFit, rowsFit, each(checkPauses), usageFits, childrenEnd].flatMap((check) =>
    check(history),
  )
