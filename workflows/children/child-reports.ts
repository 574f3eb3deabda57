import { getExternalWorkflowHandle } from "@temporalio/workflow"
import { sessionWorkflowId } from "../../domain/engine/engine-names.ts"
import { childSignal } from "../messages/messages.ts"
import type { RunApproval } from "../../domain/approval/narrow-approval.ts"
import type { ChildState, EarlyReport } from "../../domain/limits/child-state.ts"
import type { Checked } from "../../domain/checked.ts"
import { isApproval } from "../../domain/operator/operator-argument.ts"
import { limitApproval, type SessionState } from "../../domain/session/session-state.ts"
import { settleChildRun } from "./settle-child.ts"
import { type SessionContext, showDetails } from "../session/session-context.ts"
import { isId } from "../../domain/text/is-id.ts"

/**
 * What a session below reports about itself. `ended` comes only from those that stay open: the engine does not report the end of their runs.
 * `narrowed`: it reads a message of a sender who may approve no more than that, and what it reports may follow from it.
 */
export type ChildReport =
  | EarlyReport
  | { readonly id: string; readonly status: "ended"; readonly runId: string }
  | { readonly id: string; readonly status: "narrowed"; readonly approval: RunApproval }

const problem = { ok: false, problem: "expected {id, status}" } as const

export const checkChildReport = (value: unknown): Checked<ChildReport> => {
  if (typeof value !== "object" || value === null || !("id" in value) || !("status" in value)) return problem
  const { id, status } = value
  if (!isId(id)) return problem
  if (status === "narrowed")
    return "approval" in value && isApproval(value.approval)
      ? { ok: true, value: { id, status, approval: value.approval } }
      : problem
  if (!("run_id" in value) || !isId(value.run_id)) return problem
  const runId = value.run_id
  if (status === "ended") return { ok: true, value: { id, status, runId } }
  if (status !== "paused" && status !== "running") return problem
  const away = status === "running" && "is_away" in value && value.is_away === true ? { isAway: true } : {}
  return { ok: true, value: { id, status, runId, ...away } }
}

/** Keeps the end of a child's run until the model reads it. */
export const addReport = (state: SessionState, childId: string, runId: string): void => {
  const known = state.reports.some((report) => report.childId === childId && report.runId === runId)
  if (!known) state.reports = [...state.reports, { childId, runId }]
}

const maxEarlyReports = 20

const keepEarlyReport = (state: SessionState, report: EarlyReport): void => {
  const others = state.earlyReports.filter(({ id }) => id !== report.id)
  state.earlyReports = [...others, report].slice(-maxEarlyReports)
}

const isOfNextRun = (known: ChildState, { runId }: EarlyReport): boolean =>
  known.status === "ended" && runId !== known.runId

/** The part of a child's state that it reports itself. */
type ReportedState = Pick<ChildState, "status" | "isAway">

const stateOf = ({ status, isAway }: EarlyReport): ReportedState => (isAway === true ? { status, isAway } : { status })

/** Returns the state that a child reported before its start was recorded; `running` where it reported none. */
export const removeEarlyReport = (state: SessionState, child: { id: string; runId: string }): ReportedState => {
  const early = state.earlyReports.find(({ id }) => id === child.id)
  if (early === undefined) return { status: "running" }
  state.earlyReports = state.earlyReports.filter((report) => report !== early)
  return early.runId === child.runId ? stateOf(early) : { status: "running" }
}

/** Handles a child's report: it waits for a person or continues, or a run of a child that stays open has ended. */
export const takeChildReport = (context: SessionContext, report: ChildReport): undefined => {
  const { state } = context
  const known = state.run.children.find(({ id }) => id === report.id)
  if (report.status === "narrowed") {
    limitApproval(state.run, report.approval)
    return
  }
  if (report.status !== "ended") {
    if (known === undefined || isOfNextRun(known, report)) keepEarlyReport(state, report)
    else if (known.status !== "ended") {
      const { status, isAway = false } = stateOf(report)
      known.status = status
      known.isAway = isAway
      known.reportCount = (known.reportCount ?? 0) + 1
    }
  } else if (known?.runId !== report.runId) {
    addReport(state, report.id, report.runId)
  } else if (known.status !== "ended" && !context.childEnds.has(known.id)) {
    settleChildRun(context, known)
  }
  showDetails(context)
}

/** Signals the parent's workflow that this session waits for a person or, `isAway`, for a provider, or continues. */
export const notifyParent = (
  context: SessionContext,
  status: "paused" | "running",
  isAway = context.state.run.outage != null,
): void => {
  const { parentSessionId } = context
  if (parentSessionId === null) return
  context.openReports += 1
  void getExternalWorkflowHandle(sessionWorkflowId(parentSessionId))
    .signal(childSignal, {
      id: context.state.sessionId,
      run_id: context.state.run.reference.run_id,
      status,
      ...(isAway && status === "running" ? { is_away: true } : {}),
    })
    .catch(() => undefined)
    .finally(() => {
      context.openReports -= 1
    })
}

/** Signals the parent's workflow that an outage of this session's provider has begun or ended. */
export const notifyOfOutage = (context: SessionContext): void => {
  if (context.parentSessionId !== null) notifyParent(context, "running")
}
