import { narrowApproval } from "../../domain/approval/narrow-approval.ts"
import type { ResolveRun } from "../sessions-context.ts"
import { authorityOf, requireApproval } from "./require-authority.ts"

/** Resolves a run that has no more approval than its caller may give, whatever it is asked for. */
export const resolveWithinAuthority =
  (resolve: ResolveRun): ResolveRun =>
  async (loaded, request, env) => {
    requireApproval(request.actor, request.approval)
    const snapshot = await resolve(loaded, request, env)
    return { ...snapshot, approval: narrowApproval(authorityOf(request.actor).approval, snapshot.approval) }
  }
