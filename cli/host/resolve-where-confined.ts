import type { ResolveRun } from "../../sessions/sessions-context.ts"
import { resolveRun } from "../../sessions/settings/resolve-run.ts"

/**
 * For a process that brings the worker: a run that is to be confined is refused before it starts where nothing confines.
 * `requireSandbox` rejects with `sandbox_unavailable` and the reasons; once it has not, it is not asked again.
 */
export const resolveWhereConfined = (requireSandbox: () => Promise<void>): ResolveRun => {
  let confines = false
  return async (loaded, request, env) => {
    const snapshot = await resolveRun(loaded, request, env)
    if (snapshot.sandboxed && !confines) {
      await requireSandbox()
      confines = true
    }
    return snapshot
  }
}
