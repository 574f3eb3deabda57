import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { isRefusedUnconfined } from "../../domain/approval/tool-verdicts.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import { isAllowedTool } from "../../domain/tools/tool-names.ts"
import type { StartRequest } from "../../sessions/start-request.ts"
import type { ResolveRun } from "../../sessions/sessions-context.ts"
import { resolveRun } from "../../sessions/settings/resolve-run.ts"

/** Whether a run was asked for in a way that must not lose Bash silently: by name, or by a program. */
const needsBash = ({ allowed_tools: tools, actor }: StartRequest): boolean =>
  tools?.includes("Bash") === true || actor?.via === "http"

const runsBashUnconfined = (snapshot: RunSnapshot): boolean =>
  isAllowedTool(snapshot, "Bash") && isRefusedUnconfined({ name: "Bash", readOnly: false }, snapshot)

const unconfinedBash = (reason: string): AdjutantError =>
  new AdjutantError(
    "sandbox_unavailable",
    `Bash would run unasked and without a sandbox: ${reason}; to allow that, start the run with --unconfined (HTTP: "sandbox": "off"), or set security.sandbox to off`,
  )

/**
 * Returns a `resolveRun` that refuses a run if it needs a sandbox and none works: its Bash would run unasked, or it demands a sandbox and this process works
 * itself (`hasWorker`). `requireSandbox` rejects with `sandbox_unavailable` and the reasons. After it has succeeded once, it is not called again.
 */
export const resolveWhereConfined = (requireSandbox: () => Promise<void>, hasWorker = true): ResolveRun => {
  let confines = false
  const required = async (): Promise<void> => {
    if (confines) return
    await requireSandbox()
    confines = true
  }
  return async (loaded, request, env) => {
    const snapshot = await resolveRun(loaded, request, env)
    if (snapshot.sandboxed && hasWorker) await required()
    else if (needsBash(request) && runsBashUnconfined(snapshot))
      await required().catch((error: unknown) => {
        throw unconfinedBash(errorMessage(error))
      })
    return snapshot
  }
}
