import { cancellationSignal } from "@temporalio/activity"
import { redactDiff } from "../../domain/workspace/worktree/redact-diff.ts"
import { boundDiff } from "../../domain/workspace/worktree/worktree-changes.ts"
import { WorktreeLimit } from "../../domain/workspace/worktree/worktree-limit.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import type { EndedWorktree } from "../../store/store.ts"
import type { WorktreeEnd } from "../../tools/worktree/worktree-files.ts"
import type { WorktreeActivities } from "../contract/worktree-activities.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { stopBackgroundHere } from "../run/stop-background.ts"

export type WorktreeDependencies = Pick<AgentDependencies, "store" | "worktrees" | "redact" | "logger" | "sandboxFor">

/** All of them are checked before they are merged, and people are shown most of them. */
const maxKeptFiles = 5_000
const maxLeftOut = 50

const failedOf = (problem: string): EndedWorktree => ({
  status: "failed",
  tree: null,
  patch: null,
  details: { files: [], diff: null, is_cut: false, left_out: [], problem },
})

const endedOf = (
  { tree, base, patch, files, leftOut }: WorktreeEnd,
  redact: AgentDependencies["redact"],
): EndedWorktree => {
  if (files.length > maxKeptFiles)
    return failedOf(`${files.length} files were changed, at most ${maxKeptFiles} can be kept`)
  const { text, isCut } = boundDiff(redactDiff(patch.toString("utf8"), redact))
  return {
    status: tree === base ? "unchanged" : "changed",
    tree,
    patch: tree === base ? null : patch,
    details: {
      files: files.map(({ leadsTo, ...file }) => ({
        ...file,
        ...(leadsTo === undefined ? {} : { leads_to: leadsTo }),
      })),
      diff: text,
      is_cut: isCut,
      left_out: leftOut.slice(0, maxLeftOut),
      problem: null,
    },
  }
}

/** Only what is the same at every attempt is the end: with it, the worktree is removed. */
const readEnd = async (
  { worktrees, redact }: WorktreeDependencies,
  path: string,
  signal: AbortSignal | undefined,
): Promise<EndedWorktree> => {
  try {
    const end = await worktrees.end(path, signal)
    return end === undefined ? failedOf("the worktree is gone, with what was changed in it") : endedOf(end, redact)
  } catch (error) {
    if (!(error instanceof WorktreeLimit)) throw error
    return failedOf(redact(error.message))
  }
}

/**
 * Stores what was changed in a session's worktree, and then removes it. Repeating it changes nothing. Of a session that was deleted, only the worktree is
 * removed. If the changes cannot be read now, it throws and the worktree stays.
 */
export const endWorktree = async (
  deps: WorktreeDependencies,
  {
    sessionId,
    runId,
    path,
    signal,
  }: { readonly sessionId: string; readonly runId: string; readonly path: string; readonly signal?: AbortSignal },
): Promise<void> => {
  const { store, worktrees } = deps
  // A process that still writes would change files between the diff and the end.
  await stopBackgroundHere(deps, sessionId)
  const row = await store.worktrees.get(sessionId)
  if (row?.status === "open") {
    const ended = await readEnd(deps, path, signal)
    if (await store.worktrees.end(sessionId, ended)) {
      const { tree, status, details } = ended
      const data = {
        status,
        tree,
        files: details.files.length,
        ...(details.problem === null ? {} : { problem: details.problem }),
      }
      await store.events.append(sessionId, [{ type: "worktree-closed", runId, data }])
    }
  }
  await worktrees.remove(path)
}

/** Creates the activity that ends a run's worktree, whatever the run's outcome. */
export const createCloseWorktree =
  (
    deps: WorktreeDependencies,
    snapshotOf: (hash: string) => Promise<RunSnapshot>,
  ): WorktreeActivities["closeWorktree"] =>
  async ({ sessionId, runId, snapshotHash }) => {
    const { worktree } = await snapshotOf(snapshotHash)
    if (worktree?.isOwn === true)
      await endWorktree(deps, { sessionId, runId, path: worktree.path, signal: cancellationSignal() })
  }
