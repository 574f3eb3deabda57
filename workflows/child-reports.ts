import type { Checked } from "../domain/operator-argument.ts"
import type { SessionState } from "../domain/session-state.ts"
import { settleChildRun } from "./children.ts"
import { type SessionContext, showDetails } from "./session-context.ts"

/** What a session below says of itself. `ended` comes only of those that stay open: the engine does not tell of the end of their runs. */
export type ChildReport =
  | { readonly id: string; readonly status: "paused" | "running" }
  | { readonly id: string; readonly status: "ended"; readonly runId: string }

const problem = { ok: false, problem: "expected {id, status}" } as const

const isId = (value: unknown): value is string => typeof value === "string" && value !== "" && value.length <= 1_000

export const checkChildReport = (value: unknown): Checked<ChildReport> => {
  if (typeof value !== "object" || value === null || !("id" in value) || !("status" in value)) return problem
  const { id, status } = value
  if (!isId(id)) return problem
  if (status === "paused" || status === "running") return { ok: true, value: { id, status } }
  if (status !== "ended" || !("run_id" in value) || !isId(value.run_id)) return problem
  return { ok: true, value: { id, status, runId: value.run_id } }
}

const remember = (state: SessionState, childId: string, runId: string): void => {
  const known = state.reports.some((report) => report.childId === childId && report.runId === runId)
  if (!known) state.reports = [...state.reports, { childId, runId }]
}

/** A child waits for a person or goes on, or a run of one that stays open has ended. */
export const takeChildReport = (context: SessionContext, report: ChildReport): undefined => {
  const { state } = context
  const known = state.run.children.find(({ id }) => id === report.id)
  if (report.status !== "ended") {
    if (known !== undefined && known.status !== "ended") known.status = report.status
  } else if (known?.runId !== report.runId) {
    remember(state, report.id, report.runId)
  } else if (known.status !== "ended" && !context.childEnds.has(known.id)) {
    settleChildRun(context, known)
  }
  showDetails(context)
}
