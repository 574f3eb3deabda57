import type { Logger } from "pino"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { compareBuild, lackingPatches, type WorkflowBuild } from "../../domain/engine/workflow-build.ts"
import { hasWorker, hasWorkerOfBuild, type PollerContext } from "../../engine/workers/has-worker.ts"
import type { Store } from "../../store/store.ts"

export interface StandInOptions {
  readonly engine: PollerContext
  readonly store: Pick<Store, "build">
  readonly build: WorkflowBuild
  readonly logger: Pick<Logger, "warn">
}

const tooOld = (own: WorkflowBuild, current: WorkflowBuild): string => {
  const lacking = lackingPatches(own, current)
  const [were, is] =
    lacking.length > 0 && own.version === current.version
      ? [`a build of Adjutant ${current.version} with the changes ${lacking.join(", ")}`, "which this build lacks"]
      : [`Adjutant ${current.version}`, `and this is ${own.version}`]
  return (
    `the sessions of this store were last executed by ${were}, ${is}: ` +
    "use that version or a later one, or start `adjutant dev` or `adjutant worker` of this version to go back to it"
  )
}

/**
 * Returns the rule by which a worker of `adjutant run` executes workflow tasks: only while no worker that serves every session does, and only with the
 * store's current build. Once no worker of the current build is running, a build of the same version or a later one replaces it.
 * The first answer rejects with AdjutantError `no_worker` where this build is older than the current one and nobody else executes the tasks.
 */
export const standIn = ({ engine, store, build, logger }: StandInOptions): (() => Promise<boolean>) => {
  let isFirst = true
  let warned = false

  const refuse = (current: WorkflowBuild): false => {
    if (isFirst) throw new AdjutantError("no_worker", tooOld(build, current))
    if (!warned) logger.warn(`${tooOld(build, current)}. This run continues when another worker executes its workflow`)
    warned = true
    return false
  }

  const decide = async (): Promise<boolean> => {
    if (await hasWorker(engine)) return false
    const current = await store.build.read()
    const order = compareBuild(build, current)
    if (order === "execute") return true
    if (current !== undefined && (await hasWorkerOfBuild(engine, current.buildId))) return false
    if (current !== undefined && order === "too-old") return refuse(current)
    // Another process of the same build may have replaced it first.
    return (await store.build.replace(current, build)) || (await store.build.read())?.buildId === build.buildId
  }

  return async () => {
    const polls = await decide()
    isFirst = false
    return polls
  }
}
