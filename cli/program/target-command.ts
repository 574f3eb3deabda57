import type { Command } from "commander"
import { nonEmpty } from "./option-parsers.ts"
import type { TaskClient } from "../../client/task-client.ts"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { chooseLabelled } from "../../domain/delegation/choose-labelled.ts"
import { wrongUsage } from "./wrong-usage.ts"
import type { Session } from "../../contracts/session/session.ts"

/** What finds a task. */
export type TargetClient = Pick<TaskClient, "inspectTarget" | "list">

export interface TargetFlags {
  readonly parent?: string
}

/** Adds a command about a task. `argument`: `[target]` if the command asks the person for a task that is not named. */
export const targetCommand = (
  program: Command,
  name: string,
  description: string,
  argument: "<target>" | "[target]" = "<target>",
): Command =>
  program
    .command(name)
    .description(description)
    .argument(argument, "task id, checkpoint id or label; with --parent also #n, all or the label of a child", nonEmpty)
    .option("--parent <id>", "Resolve #n, all and labels among the children of this task", nonEmpty)

/** Returns the session that an id, a checkpoint id, a label or a session key names. */
const sessionOfTarget = async (client: TargetClient, target: string): Promise<string> =>
  (await client.inspectTarget(target)).session_id

const childrenPerPage = 1_000

/** Returns the children of a task, archived ones included, in spawn order. */
const childrenOf = async (client: TargetClient, parent: string): Promise<readonly Session[]> => {
  const filter = { parent: await sessionOfTarget(client, parent), limit: childrenPerPage }
  const [listed, archived] = await Promise.all([client.list(filter), client.list({ ...filter, archived: true })])
  return [...listed.items, ...archived.items].toSorted((left, right) => (left.number ?? 0) - (right.number ?? 0))
}

/** Returns the children that `#n`, `all`, an id or a label names; undefined if none has that id or label. */
const findAmong = (
  children: readonly Session[],
  { target, parent }: { readonly target: string; readonly parent: string },
): readonly string[] | undefined => {
  if (target === "all") return children.filter((child) => child.archived_at === null).map(({ id }) => id)
  const byNumber = /^#(\d{1,6})$/.exec(target)
  const child = children.find(({ id, number }) => (byNumber === null ? id === target : number === Number(byNumber[1])))
  if (child !== undefined) return [child.id]
  if (byNumber !== null)
    throw new AdjutantError(
      "session_not_found",
      `${parent} has no ${target}: run "adjutant list --parent ${parent}" to see the numbers`,
    )
  const labelled = children.filter(({ label }) => label === target)
  const named = labelled.map(({ id, status, created_at: createdAt }) => ({ id, status, createdAt }))
  const meant = chooseLabelled(target, named, Date.now())
  return meant === undefined ? undefined : [meant.id]
}

/** Returns the sessions that an id, a checkpoint or a label names, or, with a parent, also `#n`, `all` and the label of a child. */
export const findTargets = async (
  client: TargetClient,
  target: string,
  parent: string | undefined,
): Promise<readonly string[]> => {
  const isOfParent = target === "all" || /^#\d{1,6}$/.test(target)
  if (parent === undefined) {
    if (isOfParent) throw wrongUsage(`${target} requires --parent <id>: the task whose children are meant`)
    return [await sessionOfTarget(client, target)]
  }
  return findAmong(await childrenOf(client, parent), { target, parent }) ?? [await sessionOfTarget(client, target)]
}

/** Returns the session for a command that takes one task. `all` names one task if there is exactly one child. */
export const findTarget = async (client: TargetClient, target: string, parent: string | undefined): Promise<string> => {
  const ids = await findTargets(client, target, parent)
  const [id, ...others] = ids
  if (id !== undefined && others.length === 0) return id
  throw wrongUsage(
    `this command takes one task, and ${target} of ${parent ?? "nothing"} names ${ids.length}: use #1, #2 …`,
  )
}
