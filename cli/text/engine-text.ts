import type { EngineReport, EngineView } from "../../sessions/engine/engine-moves.ts"
import type { ReconcileReport } from "../../sessions/reconcile/run-reconciler.ts"
import { howToAcceptMissing } from "../../domain/engine/missing-session-errors.ts"
import { table } from "./table.ts"

const viewText = ({ namespace, namespace_id, address, since }: EngineView): string =>
  `namespace ${namespace} (id ${namespace_id ?? "unknown"}) at ${address}${since === null ? "" : `, since ${since}`}`

/** What `adjutant engine` shows. */
export const engineText = (report: EngineReport): string => {
  const { belongs_to, answers, is_same, open_sessions, known_sessions } = report
  return [
    `This store belongs to  ${belongs_to === null ? "no Temporal yet" : viewText(belongs_to)}`,
    `Temporal that answers  ${viewText(answers)}${is_same ? " (the same)" : ""}`,
    `Open tasks             ${open_sessions}, of which the Temporal that answers knows ${known_sessions}`,
  ].join("\n")
}

/** What `adjutant engine move` would do. */
export const moveText = (report: EngineReport): string => {
  const unknown = report.open_sessions - report.known_sessions
  const consequence =
    unknown === 0
      ? "It knows every open task: nothing ends."
      : [
          `Tasks that it does not know (${unknown}) stay open until they have been missed twice; then they end as failed (terminated).`,
          "If they are more than 5 and more than 10 % of all, that takes `adjutant reconcile --accept-missing`.",
        ].join("\n")
  return [
    engineText(report),
    "",
    "With --accept, the store belongs to the Temporal that answers; until then nothing changes.",
    consequence,
    "Stop every other process of this store first: those that are connected to the old Temporal refuse to work afterwards.",
    "To go back, run the command again with the old address; tasks that still live there are opened again.",
  ].join("\n")
}

const sessionCount = (count: number): string => `${count} ${count === 1 ? "task" : "tasks"}`

/** What `adjutant reconcile` shows. */
export const reconcileText = (report: ReconcileReport): string => {
  const { checked, mended, reopened, orphans, accepted, dry_run, missing_sessions, stopped } = report
  const lines = [
    `checked ${sessionCount(checked)}; ${dry_run ? "would end" : "ended"} ${mended}, opened ${reopened} again, cancelled ${orphans} without a parent`,
    ...(accepted.length === 0 ? [] : [`accepted as lost: ${accepted.join(", ")}`]),
  ]
  if (missing_sessions.length === 0) return lines.join("\n")
  const rows = missing_sessions.map(({ session_id, first_seen_at }) => [session_id, first_seen_at])
  return [
    ...lines,
    "",
    `Temporal does not know ${sessionCount(missing_sessions.length)} that ${missing_sessions.length === 1 ? "is" : "are"} open here:`,
    table(["TASK", "FIRST MISSED"], rows),
    ...(stopped === "too_many_missing" ? ["", `So many at once are not ended: ${howToAcceptMissing}.`] : []),
  ].join("\n")
}
