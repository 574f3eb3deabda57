import { areTooManyMissing } from "../../domain/engine/missing-sessions.ts"
import { sessionWorkflowId } from "../../domain/engine/engine-names.ts"
import type { ReconcilePass } from "../../domain/engine/reconcile-pass.ts"
import { listRunning } from "../../sessions/reconcile/list-running.ts"
import type { SessionRow } from "../../store/store.ts"
import { eachPage, type JobRun, tryRow } from "./job-run.ts"
import { type Examined, type OrphanDependencies, stopOrphan } from "./stop-orphan.ts"

/** Children whose parent's present execution did not start them, by the engine's lists: a reset parent's children are among them. */
const findDoubtful = async (
  { temporal }: OrphanDependencies,
  rows: readonly SessionRow[],
): Promise<readonly SessionRow[]> => {
  const running = await listRunning(
    temporal,
    rows.map(({ id }) => sessionWorkflowId(id)),
  )
  const parentOf = ({ id }: SessionRow) => running.get(sessionWorkflowId(id))?.parent ?? null
  const parentIds = new Set(rows.flatMap((row) => parentOf(row)?.workflowId ?? []))
  const parents = await listRunning(temporal, [...parentIds])
  return rows.filter((row) => {
    const parent = parentOf(row)
    return parent !== null && parents.get(parent.workflowId)?.runId !== parent.runId
  })
}

/** Cancels children whose parent's run is gone, once two passes agree. Where too many sessions are missing it does nothing. */
export const cancelOrphans = async (
  deps: OrphanDependencies,
  run: JobRun,
): Promise<Pick<ReconcilePass, "orphans" | "suspects">> => {
  const { store, engine } = deps
  const { claimId } = await engine.verify()
  const found: Examined[] = []
  if (areTooManyMissing(await store.missing.count(claimId))) return { orphans: 0, suspects: 0 }
  const noted = await store.reconciler.listOrphans()
  await eachPage(store, run, {
    list: (page) => store.sessions.listOpen({ ...page, childrenOnly: true }),
    work: async (rows) => {
      const doubtful = new Set((await findDoubtful(deps, rows)).map(({ id }) => id))
      for (const { id } of rows) {
        const sightings = noted.get(id) ?? 0
        if (!doubtful.has(id) && sightings === 0) continue
        const result = await tryRow(run, id, () => stopOrphan(deps, run, { id, sightings }))
        if (result !== undefined) found.push(result)
      }
    },
  })
  const count = (kind: Examined): number => found.filter((result) => result === kind).length
  return { orphans: count("orphan"), suspects: count("suspect") }
}
