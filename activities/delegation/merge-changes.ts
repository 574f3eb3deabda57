import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import { DelegationRefusal } from "../../domain/delegation/delegation-refusal.ts"
import { changesLine } from "../../domain/workspace/worktree/worktree-changes.ts"
import { auditRefusal, refusalCode } from "../approval/audit-refusal.ts"
import { askedAgain, judgeStart } from "../approval/call-facts.ts"
import { toolDirectory } from "../../domain/workspace/tool-directory.ts"
import { worktreeView } from "../../sessions/view/worktree-view.ts"
import type { WorktreeRow } from "../../store/store.ts"
import type { MergeResult } from "../../tools/worktree/apply-patch.ts"
import {
  delegationKey,
  type DelegationCall,
  type DelegationHandler,
  type DelegationOutcome,
} from "./delegation-call.ts"
import {
  type MergeFacts,
  mergeFactsOf,
  type MergeProblem,
  type MergeTarget,
  mergeTarget,
} from "../worktree/merge-facts.ts"
import { shownChanges } from "../worktree/preview-merge.ts"

const refuse = (message: string): DelegationRefusal => new DelegationRefusal("VALIDATION_ERROR", message)

/** Requires that the changes can be merged, and are those of the tree that the call names. */
const requireFacts = async (delegation: DelegationCall, target: MergeTarget | MergeProblem): Promise<MergeFacts> => {
  const { deps, snapshot } = delegation
  const misplaced = await deps.directoryProblem(toolDirectory(snapshot))
  if (misplaced !== undefined) throw refuse(misplaced.message)
  const facts = await mergeFactsOf({ deps, snapshot }, target)
  if ("problem" in facts) throw refuse(facts.problem)
  return facts
}

/** Returns how the changes differ from those that people were shown for this call. */
const differencesFromShown = async (
  { deps, input }: DelegationCall,
  { child, row }: MergeFacts,
  patch: Buffer,
): Promise<readonly string[]> => {
  const { sessionId, resultSeq: seq, callId } = input
  const [shown] = await deps.store.callPreviews.read(sessionId, { from: seq, to: seq })
  if (shown === undefined || shown.callId !== callId || shown.watched === null)
    return [`nobody was shown the changes of ${child.id}`]
  const { real, sha256 } = shownChanges(child.id, row.tree ?? "", patch)
  if (shown.watched.path === child.id && shown.watched.real === real && shown.watched.sha256 === sha256) return []
  return [
    `the changes of ${child.id} are not those that were shown with this call, although they lead to the same tree: read the diff again`,
  ]
}

/** What is merged: the very changes on which the gate is asked. */
interface Merge {
  readonly facts: MergeFacts
  readonly patch: Buffer
}

const readMerge = async (delegation: DelegationCall, target: MergeTarget | MergeProblem): Promise<Merge> => {
  const facts = await requireFacts(delegation, target)
  const patch = await delegation.deps.store.worktrees.readPatch(facts.child.id)
  if (patch === undefined) throw refuse(`the changes of ${facts.child.id} are no longer stored`)
  return { facts, patch }
}

/** Asks the gate about the changes. Returns that people have to be asked again; undefined if the call may run. */
const askAgain = async (
  delegation: DelegationCall,
  { facts, patch }: Merge,
): Promise<DelegationOutcome | undefined> => {
  const { deps, input, snapshot, call, endProblem } = delegation
  const changes = input.isUnasked === true ? [] : await differencesFromShown(delegation, facts, patch)
  const judged = await judgeStart(deps, input, {
    ...{ snapshot, endProblem, changes, hasBegun: false },
    tool: { name: call.name, readOnly: false },
    change: facts.change,
  })
  const { verdict } = judged
  if (verdict.verdict === "run") return undefined
  if (verdict.verdict === "ask") return { kind: "changed", ...askedAgain(judged, verdict) }
  const { why } = verdict
  await auditRefusal(deps.store, { ...input, name: call.name, reason: why.text, code: refusalCode(why) })
  throw refuse(`${why.text}; propose the call again`)
}

const apply = async ({ deps, snapshot, input }: DelegationCall, { facts, patch }: Merge): Promise<MergeResult> => {
  try {
    const paths = facts.row.details?.files.map(({ path }) => path) ?? []
    const approved = input.mayChangeProtected === true ? { dataDir: deps.dataDir, paths } : undefined
    return await deps.worktrees.merge(toolDirectory(snapshot), patch, approved)
  } catch (error) {
    if (!isAdjutantError(error)) throw error
    throw refuse(deps.redact(error.message))
  }
}

/**
 * Merges for the call that has the changes. It loses them again, for the next call, unless git has perhaps written: now, or in an attempt that was
 * interrupted.
 */
const applyOnce = async (delegation: DelegationCall, merge: Merge): Promise<MergeResult> => {
  const { child, row } = merge.facts
  const key = delegationKey(delegation)
  const wasInterrupted = row.mergeKey === key
  const release = async (): Promise<void> => {
    if (!wasInterrupted) await delegation.deps.store.worktrees.endMerge(child.id, key, false)
  }
  try {
    const result = await apply(delegation, merge)
    if (result.kind !== "conflict") return result
    await release()
    return wasInterrupted ? { kind: "partial", reason: result.reason } : result
  } catch (error) {
    await release()
    throw error
  }
}

/** How an agent continues where files may have some of the changes: they cannot be merged a second time. */
const howToContinue = ({ id }: MergeFacts["child"]): string =>
  `look at the files, and either make the rest of the changes yourself, or restore the files and send ${id} a message: it continues with its changes, which can be merged when it has ended`

const mergedText = (row: WorktreeRow): string =>
  `The changes are in your files: ${changesLine({ ...worktreeView(row), status: "merged" })}.`

/** Whether an earlier attempt of the same call merged the target, before its worker died. */
const isMergedBy = (delegation: DelegationCall, { row }: MergeTarget): boolean =>
  row.status === "merged" && row.mergeKey === delegationKey(delegation)

/**
 * Handles `sessions_merge`: applies the changes of a sub-agent's worktree to the caller's files, all or nothing. A retry of the call finds the changes in
 * the files and only records them.
 */
export const mergeChanges: DelegationHandler = async (delegation) => {
  const { deps, input, call } = delegation
  const target = await mergeTarget(deps.store, input.sessionId, call)
  if (!("problem" in target) && isMergedBy(delegation, target)) return { content: mergedText(target.row) }
  const merge = await readMerge(delegation, target)
  const again = await askAgain(delegation, merge)
  if (again !== undefined) return again
  const { child, row } = merge.facts
  const key = delegationKey(delegation)
  if (row.tree === null || !(await deps.store.worktrees.beginMerge(child.id, { tree: row.tree, key })))
    throw refuse(
      `another call has begun to merge the changes of ${child.id}, and its end is not known: ${howToContinue(child)}`,
    )
  const result = await applyOnce(delegation, merge)
  if (result.kind === "partial")
    throw refuse(
      `the changes of ${child.id} were perhaps applied in part (${deps.redact(result.reason)}): ${howToContinue(child)}`,
    )
  if (result.kind === "conflict")
    throw refuse(
      `the changes of ${child.id} do not fit your files, and nothing was changed (${deps.redact(result.reason)}): make the changes yourself, or start a new sub-agent`,
    )
  await deps.store.worktrees.endMerge(child.id, key, true)
  const data = { child_session_id: child.id, tree: row.tree, files: row.details?.files.length ?? 0 }
  await deps.store.events.append(input.sessionId, [{ type: "worktree-merged", runId: input.runId, data }])
  return { content: mergedText(row) }
}
