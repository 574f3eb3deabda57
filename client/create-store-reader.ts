import { readAudit } from "../sessions/audit/read-audit.ts"
import { listAgents } from "../sessions/channels/agents-view.ts"
import { bindingOf } from "../sessions/channels/bindings.ts"
import { approvals } from "../sessions/decide/approvals.ts"
import { listDeliveries } from "../sessions/delivery/deliveries.ts"
import { listGrants } from "../sessions/grants/grants.ts"
import type { SessionsContext } from "../sessions/sessions-context.ts"
import { inspectTarget } from "../sessions/view/inspect-target.ts"
import { listSessions } from "../sessions/view/list-sessions.ts"
import { readTranscript } from "../sessions/view/read-transcript.ts"
import { resolveTarget } from "../sessions/view/resolve-target.ts"
import { readDiff } from "../sessions/worktree/read-diff.ts"
import type { AdjutantClient } from "./adjutant-client.ts"
import type { ProfileClient } from "./task-client.ts"

/** The use cases that read the store only: they need no Temporal. */
export interface StoreReader extends Pick<
  AdjutantClient,
  "inspectTarget" | "resolveTarget" | "diff" | "list" | "approvals" | "messages" | "grants" | "audit"
> {
  readonly profiles: Pick<ProfileClient, "list">
  readonly channels: Pick<AdjutantClient["channels"], "bindingOf">
  readonly deliveries: Pick<AdjutantClient["deliveries"], "list">
}

/** Creates the use cases that read a store, which the caller closes. */
export const createStoreReader = (
  context: Pick<SessionsContext, "store" | "loaded" | "logger" | "temporalUrl" | "redact">,
): StoreReader => {
  const { store } = context
  return {
    inspectTarget: (target, caller) => inspectTarget(context, target, caller),
    resolveTarget: (target, caller) => resolveTarget(context, target, caller),
    diff: (sessionId) => readDiff(context, sessionId),
    list: (filter) => listSessions(context, filter),
    approvals: (filter) => approvals(context, filter),
    messages: (sessionId, range) => readTranscript(store, sessionId, range),
    grants: (sessionId) => listGrants(context, sessionId),
    audit: (query = {}) => readAudit(context, query),
    profiles: { list: () => listAgents(context) },
    channels: { bindingOf: (sessionId) => bindingOf(context, sessionId) },
    deliveries: { list: (filter = {}) => listDeliveries(context, filter) },
  }
}
