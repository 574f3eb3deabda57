import type { ResolveRun } from "../../sessions/sessions-context.ts"
import { resolveRun } from "../../sessions/settings/resolve-run.ts"

const loadModules = async (env: NodeJS.ProcessEnv, onProgress: (line: string) => void) => {
  const [{ startWorker }, { installRuntime }, { findWorkflowBundle }, { requireSandbox, sandboxSettingsOf }] =
    await Promise.all([
      import("../../worker/start-worker.ts"),
      import("../../worker/runtime.ts"),
      import("../../worker/workflow-bundle.ts"),
      import("../../worker/detect-sandbox.ts"),
    ])
  await findWorkflowBundle(env, onProgress)
  return { startWorker, installRuntime, requireSandbox, sandboxSettingsOf }
}

export type WorkerModules = Awaited<ReturnType<typeof loadModules>>

/** Returns a function that loads what a worker needs, once: the native library and the workflow bundle. */
export const workerModuleLoader = (
  env: NodeJS.ProcessEnv,
  onProgress: (line: string) => void,
): (() => Promise<WorkerModules>) => {
  let loading: Promise<WorkerModules> | undefined
  return () => (loading ??= loadModules(env, onProgress))
}

/**
 * Returns a `resolveRun` for a process that starts its own worker: it refuses a run that needs a sandbox if none is available.
 * `requireSandbox` rejects with `sandbox_unavailable` and the reasons; after it has succeeded, it is not called again.
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
