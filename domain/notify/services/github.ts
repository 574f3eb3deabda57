import { startOf } from "../../text/foreign/well-formed.ts"
import type { Irreplaceable, NoticeAnswer, StoredNotice } from "../notice.ts"
import { longestText, noticeText, noticeTitle } from "../notice-text.ts"

const maxTitle = 300

/** More backquotes than the text has in a row, so that none of them ends the block. */
const fenceFor = (text: string): string => {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length))
  return "`".repeat(longest + 1)
}

/** Returns a comment that readers do not see, and by which a message is found again. */
export const githubMarker = (key: string): string => `<!-- adjutant ${key} -->`

/** Returns the text of a comment, in Markdown. */
export const githubComment = (stored: StoredNotice, key: string): string => {
  const { notice, update } = stored
  const text = noticeText(stored, longestText)
  const fence = fenceFor(text)
  const commands =
    update === undefined && notice.kind === "approval" && notice.checkpointId !== undefined
      ? `\n\nTo decide, comment \`/approve ${notice.checkpointId}\` or \`/reject ${notice.checkpointId} -- reason\`.`
      : ""
  const title = noticeTitle(stored, maxTitle).replace(/[\\`*_{}[\]<>()#+!|@-]/g, "\\$&")
  return `**${title}**\n\n${fence}text\n${text}\n${fence}${commands}\n\n${githubMarker(key)}`
}

/** What GitHub answered to a request that it refused. */
interface GithubRefusal {
  readonly status: number
  readonly message: string
  readonly retryAfterMs?: number | undefined
}

/** Returns what a refusal means. A limit of the rate has status 403 or 429. */
export const readGithubRefusal = (
  { status, message, retryAfterMs }: GithubRefusal,
  isUpdate: boolean,
): NoticeAnswer | Irreplaceable => {
  if (isUpdate && (status === 404 || status === 410)) return { kind: "irreplaceable" }
  const reason = `GitHub answered ${status}${message === "" ? "" : `: ${startOf(message, 200)}`}`
  const isLimit = status === 429 || (status === 403 && (retryAfterMs !== undefined || /rate limit/i.test(message)))
  if (isLimit || status >= 500)
    return { kind: "again", reason, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
  return { kind: "permanent", reason }
}
