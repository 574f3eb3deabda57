import { sessionsSendInputSchema, subagentsInputSchema } from "../../contracts/delegation/sessions-input.ts"
import { cancelTaskInputSchema, taskIdsOf, waitForTasksInputSchema } from "../../contracts/delegation/tasks-input.ts"
import { assertNever } from "../../domain/assert-never.ts"
import { taskNotFound } from "../../domain/delegation/error-result.ts"
import { sentText } from "../../domain/delegation/sent-text.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import type { SessionRow } from "../../store/store.ts"
import { cancelChild, messageChild, restartChild } from "./control-child.ts"
import {
  argumentsOf,
  type DelegationCall,
  type DelegationHandler,
  type DelegationOutcome,
  findChild,
  requireChild,
  requireDescendant,
} from "./delegation-call.ts"
import { DelegationRefusal } from "../../domain/delegation/delegation-refusal.ts"
import { childDiff, childInfo, historyOf, listChildren } from "./look-at-children.ts"

/** Sends a message to a child: queued while it is active, or the start of its next run if it has ended. */
const send = async (delegation: DelegationCall, row: SessionRow, text: string): Promise<DelegationOutcome> => {
  if (isFinal(row.status)) return restartChild(delegation, row, text)
  const pause = await delegation.deps.store.pauses.current(row.id)
  await messageChild(delegation, row, { text, type: "follow_up" })
  return { content: sentText(row.id, row.runId ?? "", pause?.type === "input_required" ? "answered" : "queued") }
}

export const sessionsSend: DelegationHandler = async (delegation) => {
  const { sessionKey, message } = argumentsOf(sessionsSendInputSchema, delegation)
  return send(delegation, await requireChild(delegation, sessionKey), message)
}

const openIds = ({ input }: DelegationCall): readonly string[] =>
  input.children.filter(({ status }) => status !== "ended").map(({ id }) => id)

/** Waits until everything below is final or paused. */
export const sessionsYield: DelegationHandler = async (delegation) => {
  const childIds = openIds(delegation)
  return childIds.length === 0
    ? { content: "No sub-agent of yours is at work." }
    : { kind: "wait", childIds, timeoutMs: null }
}

export const waitForTasks: DelegationHandler = async (delegation) => {
  const input = argumentsOf(waitForTasksInputSchema, delegation)
  const ids: string[] = []
  for (const id of taskIdsOf(input)) {
    const found = await findChild(delegation, id)
    if (found === undefined) return { content: taskNotFound(id).text, isError: true }
    ids.push(found.id)
  }
  if (ids.length === 0) throw new DelegationRefusal("VALIDATION_ERROR", "task_ids must contain at least one task")
  const { timeout_seconds } = input
  return { kind: "wait", childIds: ids, timeoutMs: timeout_seconds === undefined ? null : timeout_seconds * 1_000 }
}

const kill = async (delegation: DelegationCall, rows: readonly SessionRow[]): Promise<DelegationOutcome> => {
  const bound = new Set((await delegation.deps.store.bindings.list()).map(({ sessionId }) => sessionId))
  const open = rows.filter((row) => !isFinal(row.status) || bound.has(row.id))
  for (const row of open) await cancelChild(delegation, row)
  return {
    content: open.length === 0 ? "Nothing was running." : `Cancelled: ${open.map(({ id }) => id).join(", ")}.`,
    silenced: open.map(({ id }) => id),
  }
}

export const cancelTask: DelegationHandler = async (delegation) => {
  const { task_id } = argumentsOf(cancelTaskInputSchema, delegation)
  const row = await findChild(delegation, task_id)
  if (row === undefined) return { content: taskNotFound(task_id).text, isError: true }
  if (isFinal(row.status)) return { content: `Task ${row.id} was already ${row.status}.` }
  return kill(delegation, [row])
}

const requireMessage = (message: string | undefined): string => {
  if (message === undefined) throw new DelegationRefusal("VALIDATION_ERROR", "this action requires a message")
  return message
}

const requireTarget = (target: string | undefined): string => {
  if (target === undefined || target === "all")
    throw new DelegationRefusal("VALIDATION_ERROR", "this action requires one target: an id, a label or #n")
  return target
}

const wait = async (
  delegation: DelegationCall,
  target: string | undefined,
  timeoutSeconds: number | undefined,
): Promise<DelegationOutcome> => {
  const childIds =
    target === undefined || target === "all" ? openIds(delegation) : [(await requireChild(delegation, target)).id]
  if (childIds.length === 0) return { content: "No sub-agent of yours is at work." }
  return { kind: "wait", childIds, timeoutMs: timeoutSeconds === undefined ? null : timeoutSeconds * 1_000 }
}

const targets = async (delegation: DelegationCall, target: string | undefined): Promise<readonly SessionRow[]> => {
  if (target !== "all") return [await requireChild(delegation, requireTarget(target))]
  return Promise.all(delegation.input.children.map(({ id }) => requireChild(delegation, id)))
}

/** Handles `subagents`: everything that a parent may do with its own children. */
export const subagents: DelegationHandler = async (delegation) => {
  const input = argumentsOf(subagentsInputSchema, delegation)
  const { action, target, limit, includeTools } = input
  switch (action) {
    case "list":
      return listChildren(delegation)
    case "info":
      return childInfo(delegation, await requireDescendant(delegation, requireTarget(target)))
    case "diff":
      return childDiff(delegation, await requireDescendant(delegation, requireTarget(target)))
    case "log":
      return historyOf(delegation, await requireDescendant(delegation, requireTarget(target)), { limit, includeTools })
    case "send":
      return send(delegation, await requireChild(delegation, requireTarget(target)), requireMessage(input.message))
    case "steer": {
      const row = await requireChild(delegation, requireTarget(target))
      if (isFinal(row.status))
        throw new DelegationRefusal("VALIDATION_ERROR", `${row.id} has no active run: send it a message instead`)
      await messageChild(delegation, row, { text: requireMessage(input.message), type: "steering" })
      return { content: sentText(row.id, row.runId ?? "", "steered") }
    }
    case "kill":
      return kill(delegation, await targets(delegation, target))
    case "wait":
      return wait(delegation, target, input.timeoutSeconds)
    default:
      return assertNever(action)
  }
}
