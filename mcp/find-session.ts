import { isAdjutantError } from "../contracts/adjutant-error.ts"
import { isFinal } from "../domain/run/is-final.ts"
import { withoutUndefined } from "../domain/without-undefined.ts"
import type { McpContext } from "./mcp-context.ts"

/** Returns the caller to whose sessions a client is limited; undefined for a client that reaches every session. */
export const reachOf = ({ allSessions, caller }: McpContext): string | undefined => (allSessions ? undefined : caller)

/** Returns the same as a filter of lists. */
export const reachable = (context: McpContext) => withoutUndefined({ caller: reachOf(context) })

const exists = async ({ store }: McpContext, sessionId: string): Promise<boolean> =>
  (await store.sessions.get(sessionId))?.deletedAt === null

/**
 * Returns the session of a task id. Undefined if no such task exists or the client does not reach it: both look the same to the client. A caller who names
 * one of the task's checkpoints was given the task.
 */
export const findTask = async (
  context: McpContext,
  taskId: string,
  checkpointId?: string,
): Promise<string | undefined> => {
  const caller = reachOf(context)
  if (!/^[a-z0-9]{1,64}$/.test(taskId)) return undefined
  if (caller === undefined) return (await exists(context, taskId)) ? taskId : undefined
  if (await context.client.isOf(taskId, caller)) return taskId
  const owner = checkpointId === undefined ? undefined : await context.client.sessionOfCheckpoint(checkpointId)
  return owner === taskId && (await exists(context, taskId)) ? taskId : undefined
}

/**
 * Returns the session that an id, a checkpoint id, a label, a session key or `#n` (the n-th that this caller spawned) names; undefined if it names
 * none that the client reaches.
 */
export const findSession = async (context: McpContext, target: string): Promise<string | undefined> => {
  const byNumber = /^#(\d{1,6})$/.exec(target)
  if (byNumber !== null) {
    const spawned = await context.client.spawned(context.caller)
    return spawned.find(({ number }) => number === Number(byNumber[1]))?.id
  }
  try {
    return await context.client.resolveTarget(target, { caller: context.caller, reachesAll: context.allSessions })
  } catch (error) {
    if (isAdjutantError(error) && error.code.endsWith("_not_found")) return undefined
    throw error
  }
}

/** Returns the sub-agents of this caller that are not final, in spawn order. */
export const openSpawned = async ({ client, caller }: McpContext): Promise<readonly string[]> =>
  (await client.spawned(caller)).filter(({ status }) => !isFinal(status)).map(({ id }) => id)
