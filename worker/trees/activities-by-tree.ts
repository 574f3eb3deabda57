import { activityInfo } from "@temporalio/activity"
import { createActivities } from "../../activities/index.ts"
import type { Redact } from "../../domain/text/redact.ts"
import { sessionIdOf } from "../../domain/engine/engine-names.ts"
import { withProxiesOf } from "../../network/proxy-environment.ts"
import { createDependencies, type WorkerDependencies, type WorkerSurroundings } from "../create-dependencies.ts"
import type { ConfiguredSurroundings } from "./configured-surroundings.ts"

/** What the command of a tree brought for it. */
export interface TreeSurroundings extends ConfiguredSurroundings {
  /** Takes the secrets of the tree out of a text. */
  readonly redact: Redact
  /** Fires when the last open tree with these surroundings ends. */
  readonly released: AbortSignal
}

/** The trees whose commands brought surroundings. */
export interface WorkerTrees {
  /** Returns the surroundings of a session's tree, the same object for trees with the same ones; undefined: nothing was brought for it. */
  surroundingsOf(sessionId: string): Promise<TreeSurroundings | undefined>
}

type Activities = ReturnType<typeof createActivities>

/** Returns what the activities of a tree use. Counters and limits are those of the worker, since they apply to all trees together. */
const dependenciesOf = (
  options: WorkerSurroundings,
  { store, streamed, unstarted, engine, stops, slots, worktrees, announcer }: WorkerDependencies,
  { redact, ...surroundings }: TreeSurroundings,
): WorkerDependencies => ({
  ...createDependencies({ ...options, engine, ...surroundings, redact: (text) => options.redact(redact(text)) }),
  ...{ store, streamed, unstarted, stops, slots, worktrees, announcer },
})

/** Returns a function that returns the activities of a tree, made once for all trees with the same surroundings. */
const createTreeActivities = (options: WorkerSurroundings, own: WorkerDependencies) => {
  const made = new Map<TreeSurroundings, Activities>()
  return (surroundings: TreeSurroundings): Activities => {
    const known = made.get(surroundings)
    if (known !== undefined) return known
    const dependencies = dependenciesOf(options, own, surroundings)
    const release = (): void => {
      made.delete(surroundings)
      dependencies.close().catch((error: unknown) => {
        options.logger.warn({ err: error }, "what a task has left open could not be closed")
      })
    }
    const activities = createActivities(dependencies)
    made.set(surroundings, activities)
    surroundings.released.addEventListener("abort", release, { once: true })
    return activities
  }
}

/**
 * Returns the activities of a worker. Those of a session use what was brought for its tree: the environment with its keys and proxies, and the
 * configuration. All others use the worker's own.
 */
export const activitiesByTree = (
  options: WorkerSurroundings & { readonly trees?: WorkerTrees },
  dependencies: WorkerDependencies,
): Activities => {
  const own = createActivities(dependencies)
  const { trees } = options
  const ofTree = createTreeActivities(options, dependencies)
  const choose = async (): Promise<{ readonly activities: Activities; readonly env: WorkerSurroundings["env"] }> => {
    const sessionId = sessionIdOf(activityInfo().workflowExecution?.workflowId ?? "")
    const surroundings = sessionId === undefined ? undefined : await trees?.surroundingsOf(sessionId)
    return surroundings === undefined
      ? { activities: own, env: options.env }
      : { activities: ofTree(surroundings), env: surroundings.env }
  }
  const dispatched = Object.keys(own).map((name) => [
    name,
    async (...args: unknown[]): Promise<unknown> => {
      const { activities, env } = await choose()
      const activity: unknown = Reflect.get(activities, name)
      if (typeof activity !== "function") throw new Error(`there is no activity ${name}`)
      return await withProxiesOf(env, async () => await Reflect.apply(activity, activities, args))
    },
  ])
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each function calls the one of the same name
  return Object.fromEntries(dispatched) as Activities
}
