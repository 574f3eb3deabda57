import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { approvesMore, narrowApproval } from "../../domain/approval/narrow-approval.ts"
import { type Authority, fullAuthority } from "../../domain/caller/authority.ts"
import { isInside } from "../../domain/workspace/is-inside.ts"
import type { SessionRow } from "../../store/store.ts"
import type { Actor } from "./actor.ts"
import type { ResolveRun } from "../sessions-context.ts"
import type { StartRequest } from "../start/start-request.ts"
import { realDirectories } from "./real-directories.ts"

/** What a caller may ask for: everything, where nothing else is said. */
export const authorityOf = (actor: Actor | undefined): Authority => actor?.authority ?? fullAuthority

/** Calls that run unasked are decided in advance: who may not decide may not ask for that. @throws AdjutantError `forbidden` */
export const requireApproval = (actor: Actor | undefined, wanted: StartRequest["approval"]): void => {
  if (wanted !== undefined && approvesMore(authorityOf(actor).approval, wanted))
    throw new AdjutantError(
      "forbidden",
      "auto_approve needs the right to approve calls: leave it out, or use a token with the scope approve",
    )
}

/** The same settings with no more approval than the caller may give. */
export const withinAuthority = (snapshot: RunSnapshot, actor: Actor | undefined): RunSnapshot => ({
  ...snapshot,
  approval: narrowApproval(authorityOf(actor).approval, snapshot.approval),
})

/** Resolves a run that has no more approval than its caller may give, whatever the request asks for. */
export const resolveWithinAuthority =
  (resolve: ResolveRun): ResolveRun =>
  async (loaded, request, env) => {
    requireApproval(request.actor, request.approval)
    return withinAuthority(await resolve(loaded, request, env), request.actor)
  }

/** @throws AdjutantError `forbidden` for a caller who may not approve calls */
export const requireApprover = (actor: Actor | undefined, what: string): void => {
  if (authorityOf(actor).approval !== "all")
    throw new AdjutantError("forbidden", `${what} needs the right to approve calls: use a token with the scope approve`)
}

/**
 * What a session does, it does in its working directory: who may not choose one cannot make a session move that works there.
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
      `session ${row.id} works outside of http.workspaces: use a token with the scope admin`,
    )
}
