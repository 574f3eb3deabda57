import type { DeliveryFilter } from "../store/store.ts"
import { type AuditQuery, readAudit } from "../sessions/audit/read-audit.ts"
import { readUsage, type UsageRequest } from "../sessions/audit/read-usage.ts"
import { bindingOf } from "../sessions/channels/binding-view.ts"
import type { ApprovalFilter } from "../sessions/pauses/approval.ts"
import { listDeliveries } from "../sessions/delivery/delivery-view.ts"
import { type SearchRequest, searchSessions } from "../sessions/view/search-sessions.ts"
import type { SessionsContext } from "../sessions/sessions-context.ts"
import { sessionOfCheckpoint } from "../sessions/pauses/tree-pause.ts"
import { inspectTarget } from "../sessions/view/inspect-target.ts"
import { type ListFilter, listSessions } from "../sessions/view/list-sessions.ts"
import { readTranscript } from "../sessions/view/read-transcript.ts"
import { resolveTarget, type TargetCaller } from "../sessions/view/resolve-target.ts"
import { requireSession } from "../sessions/rows/require-session.ts"
import { sessionDetail } from "../sessions/view/session-detail.ts"
import { readDiff } from "../sessions/view/read-diff.ts"

/** Creates the use cases that read a store, which the caller closes: they need no Temporal. What needs many schemas is loaded when it is used. */
export const createStoreReader = (
  context: Pick<SessionsContext, "store" | "loaded" | "logger" | "temporalUrl" | "redact">,
) => {
  const { store } = context
  return {
    inspectTarget: (target: string, caller?: TargetCaller) => inspectTarget(context, target, caller),
    /**
     * Resolves a task id, a checkpoint id, a label or a session key to a session id. Labels are the caller's own; without a caller, those of the user of
     * this machine. A checkpoint id names its session for everyone who knows it.
     */
    /** Returns the session that a checkpoint, of one pause or of a tree, belongs to. */
    sessionOfCheckpoint: (checkpointId: string) => sessionOfCheckpoint(context.store, checkpointId),
    resolveTarget: (target: string, caller?: TargetCaller) => resolveTarget(context, target, caller),
    /** Returns a session as it is recorded, without what is queued for it in Temporal. */
    recorded: async (sessionId: string) => sessionDetail(context, await requireSession(store, sessionId)),
    diff: (sessionId: string) => readDiff(context, sessionId),
    list: (filter: ListFilter) => listSessions(context, filter),
    search: (request: SearchRequest) => searchSessions(context, request),
    approvals: async (filter?: ApprovalFilter) => {
      const { approvals } = await import("../sessions/pauses/approvals.ts")
      return await approvals(context, filter)
    },
    /** Returns the whole preview of a pending call: a pause shows the beginning of a long preview. */
    preview: async (sessionId: string, callId: string) => {
      const { wholePreview } = await import("../sessions/pauses/pending-calls.ts")
      return await wholePreview(context, sessionId, callId)
    },
    messages: (sessionId: string, range?: { readonly afterSeq?: number; readonly limit?: number }) =>
      readTranscript(store, sessionId, range),
    grants: async (sessionId: string) => {
      const { listGrants } = await import("../sessions/decide/grants.ts")
      return await listGrants(context, sessionId)
    },
    audit: (query: AuditQuery = {}) => readAudit(context, query),
    usage: (query: UsageRequest = {}) => readUsage(context, query),
    profiles: {
      list: async () => {
        const { listAgents } = await import("../sessions/channels/agents-view.ts")
        return await listAgents(context)
      },
    },
    channels: {
      /** Returns the binding of a session. */
      bindingOf: (sessionId: string) => bindingOf(context, sessionId),
    },
    deliveries: {
      /** Returns the deliveries, newest first. */
      list: (filter: DeliveryFilter = {}) => listDeliveries(context, filter),
    },
  }
}

export type StoreReader = ReturnType<typeof createStoreReader>
