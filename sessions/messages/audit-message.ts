import type { Store } from "../../store/store.ts"
import type { SendRequest } from "./send-request.ts"
import { authorityOf } from "../authority/require-authority.ts"

/** Records in the audit log who sent a text and over which interface; the text itself is only in the transcript. */
export const auditMessage = async (
  store: Pick<Store, "audit">,
  request: SendRequest,
  sent: { readonly messageId: string; readonly runId: string | null },
): Promise<void> => {
  const { sessionId, type, actor, limits } = request
  const { approval } = authorityOf(actor)
  await store.audit.record({
    sessionId,
    runId: sent.runId,
    action: type,
    by: actor.by,
    via: actor.via,
    detail: {
      message_id: sent.messageId,
      characters: request.text.length,
      ...(approval === "all" ? {} : { approves: approval }),
      ...(limits?.budgetUsd === undefined ? {} : { budget_usd: limits.budgetUsd }),
      ...(limits?.budgetTokens === undefined ? {} : { budget_tokens: limits.budgetTokens }),
    },
    key: sent.messageId,
  })
}
