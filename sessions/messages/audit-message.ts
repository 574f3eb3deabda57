import type { SessionsContext } from "../sessions-context.ts"
import { auditedPerson } from "../authority/person-of-actor.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { limitFields } from "../../domain/limits/limit-values.ts"
import { startDetail } from "../audit/start-detail.ts"
import type { SendRequest } from "../send-request.ts"
import { auditedActor } from "../actor.ts"
import { authorityOf } from "../authority/require-authority.ts"

/** Returns the limits that the sender raised, by their names in requests. */
const raisedDetail = (settings: Pick<RunSnapshot, "limits" | "raisedLimits"> | undefined) => {
  const raised = settings?.raisedLimits ?? []
  if (settings === undefined || raised.length === 0) return {}
  return { raised: Object.fromEntries(raised.map((name) => [limitFields[name], settings.limits[name]])) }
}

/** Records in the audit log who sent a text and over which interface; the text itself is only in the transcript. */
export const auditMessage = async (
  { store, loaded }: Pick<SessionsContext, "store" | "loaded">,
  request: SendRequest,
  sent: {
    readonly messageId: string
    readonly runId: string | null
    /** The settings of the run that the text starts. */
    readonly settings?: RunSnapshot
    readonly settingsHash?: string
  },
): Promise<void> => {
  const { sessionId, type, actor, limits } = request
  const { approval } = authorityOf(actor)
  await store.audit.record({
    sessionId,
    runId: sent.runId,
    action: type,
    ...auditedActor(actor),
    hash: sent.settingsHash ?? null,
    detail: {
      message_id: sent.messageId,
      characters: request.text.length,
      ...auditedPerson(loaded, actor),
      ...(approval === "all" ? {} : { approves: approval }),
      ...(sent.settings === undefined ? {} : startDetail(sent.settings)),
      ...raisedDetail(sent.settings),
      ...(limits?.budget_usd === undefined ? {} : { budget_usd: limits.budget_usd }),
      ...(limits?.budget_tokens === undefined ? {} : { budget_tokens: limits.budget_tokens }),
    },
    key: sent.messageId,
  })
}
