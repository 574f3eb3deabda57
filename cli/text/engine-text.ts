import { counted } from "../../domain/text/figures.ts"
import type { EngineReport, EngineView } from "../../sessions/engine/engine-moves.ts"
import type { ReconcileReport } from "../../sessions/reconcile/run-reconciler.ts"
import { howToAcceptMissing } from "../../domain/engine/missing-session-errors.ts"
import { table } from "./table.ts"

const viewText = ({ namespace, namespace_id, address, since }: EngineView): string =>
  `namespace ${namespace} (id ${namespace_id ?? "unknown"}) at ${address}${since === null ? "" : `, since ${since}`}`

/** Returns what `adjutant engine` shows. */
export const engineReportText = (report: EngineReport): string => {
  const { belongs_to, answers, is_same, open_sessions, known_sessions } = report
  return [
    `Store belongs to    ${belongs_to === null ? "no Temporal yet" : viewText(belongs_to)}`,
    `Connected Temporal  ${viewText(answers)}${is_same ? " (the same)" : ""}`,
    `Open tasks          ${open_sessions}, of which the connected Temporal knows ${known_sessions}`,
  ].join("\n")
}

/** Returns what `adjutant engine move` would do. */
export const moveText = (report: EngineReport): string => {
  const unknown = report.open_sessions - report.known_sessions
  const consequence =
    unknown === 0
      ? "The connected Temporal knows every open task: no task ends."
      : [
          `Tasks that it does not know (${unknown}) stay open until two checks have missed them; then they end as failed (terminated).`,
          "If they are more than 5 and more than 10 % of all open tasks, this requires `adjutant reconcile --accept-missing`.",
        ].join("\n")
  return [
    engineReportText(report),
    "",
    "With --accept, the store moves to the connected Temporal. Without it, nothing changes.",
    consequence,
    "Stop every other process of this store first: processes that are connected to the old Temporal stop working.",
    "To move back, run the command again with the old address.",
  ].join("\n")
}

/** Returns what `adjutant reconcile` shows. */
export const reconcileText = (report: ReconcileReport): string => {
  const { checked, mended, orphans, accepted, dry_run, missing_sessions, stopped } = report
  const { planned = [], failed = [] } = report
  const lines = [
    `checked ${counted(checked, "task")}; ${dry_run ? "would end" : "ended"} ${mended}, ${dry_run ? "would cancel" : "cancelled"} ${orphans} without a parent`,
    ...(failed.length === 0
      ? []
      : [`failed: ${failed.join(", ")}; the next pass runs them again, and the log of the worker contains the reason`]),
    ...(planned.length === 0
      ? []
      : [
          "",
          table(
            ["JOB", "ID", "WOULD"],
            planned.map(({ job, id, action }) => [job, id, action]),
          ),
        ]),
    ...(accepted.length === 0 ? [] : [`accepted as lost: ${accepted.join(", ")}`]),
  ]
  if (missing_sessions.length === 0) return lines.join("\n")
  const rows = missing_sessions.map(({ session_id, first_seen_at }) => [session_id, first_seen_at])
  return [
    ...lines,
    "",
    `Temporal does not know ${counted(missing_sessions.length, "task")} that ${missing_sessions.length === 1 ? "is" : "are"} open here:`,
    table(["TASK", "FIRST MISSED"], rows),
    ...(stopped === "too_many_missing"
      ? ["", `None of them was ended, because they are too many: ${howToAcceptMissing}.`]
      : []),
  ].join("\n")
}
