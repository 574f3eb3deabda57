import type { ToolCall } from "../../contracts/message.ts"
import { cutText } from "../../domain/text/bound-for-history.ts"
import { type Redact, redactTexts } from "../../domain/text/redact.ts"

const maxAudited = 8_000

/** Returns the arguments of a call as the audit log has them: as JSON, without secrets and of bounded length. */
export const auditedArguments = (args: ToolCall["arguments"], redact: Redact): string =>
  cutText(JSON.stringify(redactTexts(args, redact)), maxAudited)
