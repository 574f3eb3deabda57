import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { approvesMore, narrowApproval, requestedApproval } from "../../domain/approval/narrow-approval.ts"
import { type Authority, fullAuthority } from "../../domain/caller/authority.ts"
import { isInside } from "../../domain/workspace/is-inside.ts"
import type { SessionRow } from "../../store/store.ts"
import type { Actor } from "../actor.ts"
import type { ResolveRun } from "../sessions-context.ts"
import type { RunOptions } from "../../contracts/run/run-options.ts"
import { requireMayApprove } from "./require-may.ts"
import { realDirectories } from "./real-directories.ts"

/** Returns what a caller may ask for; without an authority, everything. */
export const authorityOf = (actor: Actor | undefined): Authority => actor?.authority ?? fullAuthority

/** Requires that the caller may give the requested approval, since calls that run without asking are decided in advance. @throws AdjutantError `forbidden` */
export const requireApproval = (actor: Actor | undefined, wanted: RunOptions["auto_approve"]): void => {
  const approval = requestedApproval(wanted)
  if (approval !== undefined && approvesMore(authorityOf(actor).approval, approval))
    throw new AdjutantError(
      "forbidden",
      "auto_approve requires the right to approve calls: omit it, or use a token with the scope approve",
    )
}

/** Returns the settings with at most the approval that the caller may give. */
export const withinAuthority = (snapshot: RunSnapshot, actor: Actor | undefined): RunSnapshot => ({
  ...snapshot,
  approval: narrowApproval(authorityOf(actor).approval, snapshot.approval),
  unconfined: authorityOf(actor).approval === "all" ? snapshot.unconfined : undefined,
})

/** Wraps a resolver, so that its runs have at most the approval that their caller may give. */
export const resolveWithinAuthority =
  (resolve: ResolveRun): ResolveRun =>
  async (loaded, request, env) => {
    requireApproval(request.actor, request.auto_approve)
    if (request.sandbox === "off") requireApprover(request.actor, "a run whose commands are not confined")
    const snapshot = await resolve(loaded, request, env)
    requireMayApprove(loaded, { ...request, actor: request.actor, run: snapshot })
    return withinAuthority(snapshot, request.actor)
  }

/** Requires a caller who may approve calls. @throws AdjutantError `forbidden` */
export const requireApprover = (actor: Actor | undefined, what: string): void => {
  if (authorityOf(actor).approval !== "all")
    throw new AdjutantError(
      "forbidden",
      `${what} requires the right to approve calls: use a token with the scope approve`,
    )
}

/** Requires a caller without limits: the user of this process, or a token with the scope `admin`. @throws AdjutantError `forbidden` */
export const requireAdmin = (actor: Actor | undefined, what: string): void => {
  const { approval, directories } = authorityOf(actor)
  if (approval !== "all" || directories !== "any")
    throw new AdjutantError("forbidden", `${what} requires a token with the scope admin`)
}

/**
 * Requires that the caller may use the session's working directory, since a session acts in it.
 * @throws AdjutantError `forbidden`
 */
export const requireDirectoryAccess = async (
  actor: Actor | undefined,
  row: Pick<SessionRow, "id" | "cwd">,
): Promise<void> => {
  const { directories } = authorityOf(actor)
  if (directories === "any") return
  const allowed = await realDirectories(directories)
  if (!allowed.some((directory) => isInside(directory, row.cwd)))
    throw new AdjutantError(
      "forbidden",
      `the working directory of session ${row.id} is not inside http.workspaces: use a token with the scope admin`,
    )
}
