import { startOf } from "../text/foreign/well-formed.ts"
import type { Notice, NoticeCall, StoredNotice } from "./notice.ts"

const shorten = (text: string, max: number): string => (text.length <= max ? text : `${startOf(text, max - 1)}…`)

/** Returns what a message says about one call, in plain lines. */
export const callLines = ({ summary, text, flags }: NoticeCall): readonly string[] => [
  summary,
  ...(text === "" ? [] : [text]),
  ...flags.map((flag) => `! ${flag}`),
]

/** The longest text of a message to a service that takes whole pages. */
export const longestText = 60_000

/** Returns what a message says besides its title, as plain text of at most `max` characters. How to decide is never cut off. */
export const noticeText = ({ notice, update }: Pick<StoredNotice, "notice" | "update">, max: number): string => {
  const { text, calls, decidedBy, how, url } = notice
  const end = [
    ...(update === undefined ? [...(decidedBy === undefined ? [] : [decidedBy]), how] : [update.outcome]),
    ...(url === undefined ? [] : [url]),
  ]
    .filter((line) => line !== "")
    .join("\n")
  const start = [...(text === undefined ? [] : [text]), ...calls.flatMap(callLines)].join("\n")
  const room = Math.max(0, max - end.length - 2)
  return [shorten(start, room), end].filter((part) => part !== "").join("\n\n")
}

export const noticeTitle = ({ notice, update }: Pick<StoredNotice, "notice" | "update">, max: number): string =>
  shorten(update === undefined ? notice.title : `${update.outcome}: ${notice.title}`, max)

/** Returns whether a message is about something that people decide or answer. */
export const isAsking = ({ kind }: Pick<Notice, "kind">): boolean => kind === "approval" || kind === "question"

/** Returns the message with a mark for a service that cannot be asked whether it has the message already. */
export const asRepeat = (stored: StoredNotice): StoredNotice => ({
  ...stored,
  notice: { ...stored.notice, title: `(repeated) ${stored.notice.title}` },
})
