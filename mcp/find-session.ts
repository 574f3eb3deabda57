import { isAdjutantError } from "../contracts/adjutant-error.ts"
import { taskNotFound } from "../domain/delegation/error-result.ts"
import type { ToolAnswer } from "../domain/delegation/tool-answer.ts"
import { isFinal } from "../domain/run/is-final.ts"
import type { McpContext } from "./mcp-context.ts"

/** Returns the session of a task id; undefined if no such task exists. */
export const findTask = async ({ store }: McpContext, taskId: string): Promise<string | undefined> => {
  if (!/^[a-z0-9]{1,64}$/.test(taskId)) return undefined
  const row = await store.sessions.get(taskId)
  return row === undefined || row.deletedAt !== null ? undefined : row.id
}

/** Returns the session that an id, a session key, a label or `#n` (the n-th that this caller spawned) names; undefined if it names none. */
export const findSession = async (context: McpContext, target: string): Promise<string | undefined> => {
  const byNumber = /^#(\d{1,6})$/.exec(target)
  if (byNumber !== null) return (await context.client.spawned(context.caller))[Number(byNumber[1]) - 1]?.id
  try {
    return await context.client.resolveTarget(target)
  } catch (error) {
    if (isAdjutantError(error) && error.code.endsWith("_not_found")) return undefined
    throw error
  }
}

const answeringFound =
  (find: typeof findTask) =>
  async (
    context: McpContext,
    target: string,
    use: (sessionId: string) => ToolAnswer | Promise<ToolAnswer>,
  ): Promise<ToolAnswer> => {
    const id = await find(context, target)
    return id === undefined ? taskNotFound(target) : await use(id)
  }

/** Answers with `use` for the session of a task id, or with `TASK_NOT_FOUND` if no such task exists. */
export const withTask = answeringFound(findTask)

/** Does the same for a target that `findSession` accepts. */
export const withSession = answeringFound(findSession)

/** Returns the sub-agents of this caller that are not final, in spawn order. */
export const openSpawned = async ({ client, caller }: McpContext): Promise<readonly string[]> =>
  (await client.spawned(caller)).filter(({ status }) => !isFinal(status)).map(({ id }) => id)
