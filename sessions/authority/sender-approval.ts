import { approvalField } from "../../domain/approval/narrow-approval.ts"
import type { SessionMessage } from "../../domain/session/session-message.ts"
import type { Actor } from "../actor.ts"
import { authorityOf } from "./require-authority.ts"

/**
 * Returns the most that the sender of a text may approve, for the workflow whose run reads the text. It is included even if the run seems to have no
 * more approval, since only the workflow knows for certain which run it executes.
 */
export const senderApproval = (actor: Actor): Pick<SessionMessage, "approval"> =>
  approvalField(authorityOf(actor).approval)
