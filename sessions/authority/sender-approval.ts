import { approvalField } from "../../domain/approval/narrow-approval.ts"
import type { SessionMessage } from "../../domain/messages/session-message.ts"
import type { Actor } from "./actor.ts"
import { authorityOf } from "./require-authority.ts"

/**
 * What somebody whose words a run reads may approve at most, for the workflow that reads them. The workflow knows better than the store which run it
 * executes, so it is not left out where that run seems to have no more.
 */
export const senderApproval = (actor: Actor): Pick<SessionMessage, "approval"> =>
  approvalField(authorityOf(actor).approval)
