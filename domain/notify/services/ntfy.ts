import type { DestinationAt } from "../../../contracts/config/notify.ts"
import { classifyDeliveryStatus } from "../../delivery/delivery-policy.ts"
import type { NoticeRequest, NoticeSending, StoredNotice } from "../notice.ts"
import { isAsking, noticeText, noticeTitle } from "../notice-text.ts"

/** A longer message becomes an attachment. */
const maxNtfyMessage = 3_500
const maxNtfyTitle = 200

/** Returns the server and the topics of a destination: that of the messages, and that to which the buttons publish. */
export const ntfyTopics = ({ url, replyTopic }: Pick<DestinationAt<"ntfy">, "url" | "replyTopic">) => {
  const { origin, pathname } = new URL(url)
  const topic = pathname.slice(1)
  return { origin, topic, reply: replyTopic ?? `${topic}-reply` }
}

const button = (destination: DestinationAt<"ntfy">, label: string, body: string) => {
  const { origin, reply } = ntfyTopics(destination)
  // The phone has no token: the word is signed, and counts once.
  return { action: "http", label, url: `${origin}/${reply}`, method: "POST", body, clear: true }
}

/** Returns the request that publishes a message. The outcome of a decision is a message of its own. */
export const ntfyRequest = (
  stored: StoredNotice,
  destination: DestinationAt<"ntfy">,
  { key, secret }: NoticeSending,
): NoticeRequest => {
  const { notice, update } = stored
  const { origin, topic } = ntfyTopics(destination)
  const word = update === undefined && notice.kind === "approval" ? notice.word : undefined
  const actions =
    word === undefined
      ? []
      : [button(destination, "Approve", `accept ${word}`), button(destination, "Reject", `reject ${word}`)]
  return {
    url: `${origin}/`,
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(secret === "" ? {} : { authorization: `Bearer ${secret}` }),
    },
    body: JSON.stringify({
      topic,
      // A server that knows sequences shows one notification, however often it is published.
      sequence_id: update?.of ?? key,
      title: noticeTitle(stored, maxNtfyTitle),
      message: noticeText(stored, maxNtfyMessage),
      priority: update === undefined && isAsking(notice) ? 4 : 3,
      ...(notice.url === undefined ? {} : { click: notice.url }),
      ...(actions.length === 0 ? {} : { actions }),
    }),
    read: ({ status, retryAfterMs, body }) => {
      const reason = `ntfy answered ${status}${ntfyError(body)}`
      switch (classifyDeliveryStatus(status)) {
        case "delivered":
          return { kind: "delivered" }
        case "again":
          return { kind: "again", reason, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
        case "permanent":
          return { kind: "permanent", reason }
      }
    },
  }
}

const ntfyError = (body: unknown): string =>
  typeof body === "object" && body !== null && "error" in body ? `: ${String(body.error).slice(0, 200)}` : ""
