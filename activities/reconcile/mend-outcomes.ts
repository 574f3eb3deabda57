import { sessionWorkflowId } from "../../domain/engine/engine-names.ts"
import type { ReconcilePass } from "../../domain/engine/reconcile-pass.ts"
import { describedAtOnce, tryDescribeExecution } from "../../engine/describe-execution.ts"
import { listRunning } from "../../sessions/reconcile/list-running.ts"
import { type ObservedSession, observeSession } from "../../sessions/engine/observe-session.ts"
import type { SessionRow } from "../../store/store.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { classifySessions } from "./classify-sessions.ts"
import { endSession } from "./end-session.ts"
import { eachPage, type JobRun, reportProgress, tryRow } from "./job-run.ts"

export type MendDependencies = Pick<
  AgentDependencies,
  "store" | "temporal" | "engine" | "timing" | "logger" | "announcer" | "tracer"
>

const observeAll = async (
  deps: MendDependencies,
  run: JobRun,
  rows: readonly SessionRow[],
): Promise<readonly ObservedSession[]> => {
  const describe = (sessionId: string) => tryDescribeExecution(deps.temporal, sessionWorkflowId(sessionId))
  const all: ObservedSession[] = []
  for (let start = 0; start < rows.length; start += describedAtOnce) {
    const some = rows.slice(start, start + describedAtOnce)
    const observed = await Promise.all(
      some.map((row) => tryRow(run, row.id, () => observeSession({ ...deps, describe }, row))),
    )
    for (const found of observed) if (found !== undefined && found.engine !== null) all.push(found)
  }
  return all
}

/** Lists a page in the engine, and describes only the sessions that it does not list, or that were missing before. */
const observeDoubtful = async (
  deps: MendDependencies,
  run: JobRun,
  rows: readonly SessionRow[],
): Promise<readonly ObservedSession[]> => {
  const running = await listRunning(
    deps.temporal,
    rows.map(({ id }) => sessionWorkflowId(id)),
  )
  const noted = await deps.store.missing.listNoted()
  const doubtful = rows.filter(({ id }) => !running.has(sessionWorkflowId(id)) || noted.has(id))
  return await observeAll(deps, run, doubtful)
}

/**
 * Records the outcome of sessions whose execution ended without one. The engine is compared after all its answers are there, before anything is
 * recorded: then it is known how many are missing.
 */
export const mendOutcomes = async (
  deps: MendDependencies,
  run: JobRun,
): Promise<Pick<ReconcilePass, "checked" | "mended" | "missing" | "stopped">> => {
  const { store, engine, logger } = deps
  let checked = 0
  const doubtful: ObservedSession[] = []
  await eachPage(store, run, {
    list: (page) => store.sessions.listOpen(page),
    work: async (rows) => {
      checked += rows.length
      doubtful.push(...(await observeDoubtful(deps, run, rows)))
    },
  })
  const { claimId } = await engine.verify()
  const onProgress = (id: string): void => reportProgress(run, id)
  const options = { claimId, dryRun: run.dryRun, onProgress }
  const { over, missing, isStopped } = await classifySessions(deps, doubtful, options)
  if (isStopped && !run.dryRun)
    logger.error({ missing, open: checked }, "too many sessions are missing in Temporal: none of them is ended")
  let mended = 0
  for (const observed of over) {
    const { id } = observed.row
    if (run.dryRun) run.plan({ id, action: `record ${observed.missing?.stopReason ?? "its outcome"}` })
    else if ((await tryRow(run, id, () => endSession(deps, observed))) !== true) continue
    mended += 1
  }
  return { checked, mended, missing, stopped: isStopped ? "too_many_missing" : null }
}
