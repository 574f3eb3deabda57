import type { DestinationAt } from "../../../contracts/config/notify.ts"
import { isRecord } from "../../text/is-record.ts"
import type { NoticeAnswer, NoticeRequest, NoticeSending, StoredNotice } from "../notice.ts"
import { noticeText, noticeTitle } from "../notice-text.ts"

const maxText = 60_000
const maxTitle = 300

/** More backquotes than the text has in a row, so that none of them ends the block. */
const fenceFor = (text: string): string => {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length))
  return "`".repeat(longest + 1)
}

const bodyOf = (stored: StoredNotice, key: string): string => {
  const { notice, update } = stored
  const text = noticeText(stored, maxText)
  const fence = fenceFor(text)
  const commands =
    update === undefined && notice.kind === "approval" && notice.checkpointId !== undefined
      ? `\n\nTo decide, comment \`/approve ${notice.checkpointId}\` or \`/reject ${notice.checkpointId} -- reason\`.`
      : ""
  const title = noticeTitle(stored, maxTitle).replace(/[\\`*_{}[\]<>()#+!|@-]/g, "\\$&")
  return `**${title}**\n\n${fence}text\n${text}\n${fence}${commands}\n\n<!-- adjutant ${key} -->`
}

const read: NoticeRequest["read"] = ({ status, retryAfterMs, body }): NoticeAnswer => {
  const answer = isRecord(body) ? body : {}
  const id = answer["id"]
  if (status >= 200 && status < 300)
    return { kind: "delivered", ...(typeof id === "number" ? { receipt: String(id) } : {}) }
  const message = typeof answer["message"] === "string" ? `: ${answer["message"].slice(0, 200)}` : ""
  const reason = `GitHub answered ${status}${message}`
  const isLimit = status === 429 || (status === 403 && (retryAfterMs !== undefined || /rate limit/i.test(message)))
  if (isLimit || status >= 500)
    return { kind: "again", reason, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
  return { kind: "permanent", reason }
}

/** Returns the request that adds a comment, or replaces it. */
export const githubRequest = (
  stored: StoredNotice,
  { apiUrl = "https://api.github.com", repository, issue }: DestinationAt<"github">,
  { key, secret, receipt }: NoticeSending,
): NoticeRequest => {
  const isUpdate = stored.update !== undefined && receipt !== undefined
  return {
    url: `${apiUrl}/repos/${repository}/issues/${isUpdate ? `comments/${receipt}` : `${issue}/comments`}`,
    method: isUpdate ? "PATCH" : "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/vnd.github+json",
      "x-github-api-version": "2022-11-28",
      "user-agent": "adjutant",
      authorization: `Bearer ${secret}`,
    },
    body: JSON.stringify({ body: bodyOf(stored, key) }),
    read,
  }
}
