import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import type { WorktreeActivities } from "../contract/worktree-activities.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { followCall } from "../followed-calls.ts"
import { callSignal } from "../running-calls.ts"

/** Creates the activity that gives a run its worktree: with the files of its source, and the changes of an earlier run that were not merged. */
export const createOpenWorktree =
  (
    deps: Pick<AgentDependencies, "store" | "worktrees" | "machine" | "redact" | "stops">,
    snapshotOf: (hash: string) => Promise<RunSnapshot>,
  ): WorktreeActivities["openWorktree"] =>
  ({ sessionId, runId, snapshotHash }) =>
    followCall(deps, { runId }, async () => {
      const { store, worktrees, machine, redact } = deps
      const { worktree } = await snapshotOf(snapshotHash)
      if (worktree === undefined) return { refusal: null }
      const { path, source } = worktree
      try {
        const patch = await store.worktrees.readPatch(sessionId)
        await worktrees.open({ storeId: store.storeId, sessionId, path, source, patch, signal: callSignal() })
      } catch (error) {
        if (!isAdjutantError(error)) throw error
        return { refusal: { code: error.code, message: redact(error.message) } }
      }
      // From now on, neither its calls nor those of its sub-agents run on a machine that shares only the working directory.
      const place = await store.machines.placeOf(sessionId)
      await store.machines.move(sessionId, place?.machine ?? null, { machine: machine.name, directory: null })
      if (await store.worktrees.open({ sessionId, machine: machine.name, path, source }))
        await store.events.append(sessionId, [{ type: "worktree-opened", runId, data: { path } }])
      return { refusal: null }
    })
