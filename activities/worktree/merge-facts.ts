import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import { sessionsMergeInputSchema } from "../../contracts/delegation/sessions-input.ts"
import { argumentProblem } from "../../contracts/argument-problem.ts"
import type { ToolCall } from "../../contracts/message.ts"
import type { ChangeFacts } from "../../domain/approval/gate.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { findBelow, type NamedBelow } from "../../domain/delegation/find-below.ts"
import { changesLine } from "../../domain/workspace/worktree/worktree-changes.ts"
import { perhapsGitDirectory } from "../../domain/workspace/protected-paths.ts"
import { toolDirectory } from "../../domain/workspace/tool-directory.ts"
import { descendantsOf } from "../../sessions/rows/session-tree.ts"
import { worktreeView } from "../../sessions/view/worktree-view.ts"
import type { SessionRow, WorktreeRow } from "../../store/store.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"

/** A call of `sessions_merge` that can be carried out. */
export interface MergeFacts {
  readonly child: SessionRow
  readonly row: WorktreeRow
  /** What a person has to approve, whatever policy says: a protected path, or a link that leads out of the directory. */
  readonly change: ChangeFacts
}

/** Why a call of `sessions_merge` cannot be carried out. */
export interface MergeProblem {
  readonly problem: string
}

interface Merging {
  readonly deps: Pick<AgentDependencies, "store" | "checkChange">
  readonly snapshot: RunSnapshot
  /** The session that merges. */
  readonly sessionId: string
}

const chunk = 64

/** Git changes files without the checks of file tools, so all of them are made here. */
const checkFiles = async (
  { deps, snapshot }: Omit<Merging, "sessionId">,
  { details }: WorktreeRow,
): Promise<Pick<MergeFacts, "change"> | MergeProblem> => {
  const files = details?.files ?? []
  let changed: string | undefined
  for (let start = 0; start < files.length; start += chunk) {
    const paths = files.slice(start, start + chunk).map(({ path }) => path)
    const checks = await Promise.all(paths.map((path) => deps.checkChange(snapshot, path)))
    for (const [index, check] of checks.entries()) {
      if (check.kind === "refused") return { problem: `${paths[index] ?? ""} cannot be merged: ${check.reason}` }
      if (check.kind === "protected") changed ??= check.path
    }
  }
  const link = files.find(({ leads_to: leadsTo }) => leadsTo !== undefined)
  if (link !== undefined) return { change: { kind: "protected", path: `${link.path}, a link out of the directory,` } }
  const written = files.flatMap(({ path, change }) => (change === "deleted" ? [] : [path]))
  const path = changed ?? perhapsGitDirectory(written)
  return { change: path === undefined ? { kind: "free" } : { kind: "protected", path } }
}

const unmergeable = (child: SessionRow, row: WorktreeRow, tree: string): string | undefined => {
  if (row.status === "open") return `${child.id} still works in its worktree: wait until it has ended`
  if (row.status !== "changed") return `there is nothing to merge from ${child.id}: ${changesLine(worktreeView(row))}`
  if (row.tree === tree) return undefined
  return `the tree of ${child.id} is ${row.tree ?? "unknown"}, not ${tree}: read its diff again and merge that tree`
}

/** A sub-agent whose changes a call names, whether or not they can be merged. */
export interface MergeTarget {
  readonly child: SessionRow
  readonly row: WorktreeRow
  readonly tree: string
}

const namedBy = (below: readonly SessionRow[], named: NamedBelow): SessionRow | MergeProblem | undefined => {
  try {
    return findBelow(below, named)
  } catch (error) {
    if (!isAdjutantError(error)) throw error
    return { problem: error.message }
  }
}

/** Returns the sub-agent that a call of `sessions_merge` names. */
export const mergeTarget = async (
  store: Merging["deps"]["store"],
  sessionId: string,
  call: ToolCall,
): Promise<MergeTarget | MergeProblem> => {
  const parsed = sessionsMergeInputSchema.safeParse(call.arguments)
  if (!parsed.success) return { problem: argumentProblem(parsed.error) }
  const { sessionKey, tree } = parsed.data
  const session = await store.sessions.get(sessionId)
  const below = session === undefined ? [] : await descendantsOf(store, session)
  const child = namedBy(below, { parentId: sessionId, target: sessionKey, nowMs: Date.now() })
  if (child !== undefined && "problem" in child) return child
  if (child === undefined) return { problem: `no sub-agent of yours is ${sessionKey}` }
  const row = await store.worktrees.get(child.id)
  return row === undefined
    ? { problem: `${child.id} has no worktree: what it changed is in its working directory` }
    : { child, row, tree }
}

/** Returns what a call merges from its target, or why it cannot. */
export const mergeFactsOf = async (
  { deps, snapshot }: Omit<Merging, "sessionId">,
  target: MergeTarget | MergeProblem,
): Promise<MergeFacts | MergeProblem> => {
  if ("problem" in target) return target
  const { child, row, tree } = target
  const problem = unmergeable(child, row, tree)
  if (problem !== undefined) return { problem }
  if (row.source !== toolDirectory(snapshot))
    return {
      problem: `the changes of ${child.id} belong to ${row.source}: only the agent that works there can merge them`,
    }
  const checked = await checkFiles({ deps, snapshot }, row)
  return "problem" in checked ? checked : { child, row, ...checked }
}

/**
 * Returns what a call of `sessions_merge` merges, or why it cannot. Asked before people decide, when they are shown the diff, and again before the files
 * are changed: the tree that the call names says what was approved.
 */
export const mergeFacts = async (merging: Merging, call: ToolCall): Promise<MergeFacts | MergeProblem> =>
  mergeFactsOf(merging, await mergeTarget(merging.deps.store, merging.sessionId, call))
