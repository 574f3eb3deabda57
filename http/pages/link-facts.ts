import { webhookHolder } from "../../domain/caller/caller-id.ts"
import { durationText } from "../../domain/text/figures.ts"
import { visible } from "../../domain/text/visible.ts"
import type { LinkedDecision, OpenedLink } from "../../sessions/pauses/links/link.ts"
import { escapeHtml } from "./escape-html.ts"

/** Returns a time as a person reads it who may be anywhere: to the minute, in UTC. */
const minuteOf = (iso: string): string => {
  const at = new Date(iso).toISOString()
  return `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`
}

/** Returns who is asked to decide. A token proves who does, and names the decision. */
const askedOf = (to: string | null, needsToken: boolean): string => {
  if (to !== null && to !== webhookHolder) return to
  if (needsToken) return "every approver: a decision needs your token"
  return to === null ? "everybody who has this link" : "everybody who has this link, which a webhook sent"
}

/** Returns in a line which task asks whom, and until when: the change follows, and the other facts below it. */
export const linkLine = ({ approval: { agent, title }, expiresAt, to }: OpenedLink, needsToken: boolean): string => {
  const parts = [title ?? agent, `asked of ${askedOf(to, needsToken)}`, `until ${minuteOf(expiresAt)}`]
  return `<p class="facts">${escapeHtml(visible(parts.join(" · ")))}</p>`
}

/** Returns which task asks whom, since when and until when, as a list. */
export const linkFacts = (
  { approval, expiresAt, to }: OpenedLink,
  { needsToken, nowMs }: { readonly needsToken: boolean; readonly nowMs: number },
): string => {
  const { agent, session_id: id, title, opened_at: since } = approval
  const facts = [
    ...(title === null ? [] : [["Task", title] as const]),
    ["Session", id],
    ["Agent", agent],
    ["Asked of", askedOf(to, needsToken)],
    ["Since", `${minuteOf(since)}, ${durationText(Math.max(0, nowMs - Date.parse(since)))} ago`],
    ["Until", `${minuteOf(expiresAt)}, or until it is decided elsewhere`],
  ] as const
  return `<dl>${facts.map(([name, value]) => `<dt>${name}</dt><dd>${escapeHtml(visible(value))}</dd>`).join("")}</dl>`
}

const actionTexts: Readonly<Record<LinkedDecision["action"], string>> = {
  accept: "approved",
  reject: "rejected",
  edit: "approved with other arguments",
  custom_result: "answered with a result of a person",
}

/** Returns who decided what, when and through which channel, as a list; empty if nothing is decided. */
export const decidedFacts = (decisions: readonly LinkedDecision[]): string => {
  if (decisions.length === 0) return ""
  const facts = decisions.map(({ call, action, by, via, at }) => {
    const text = `${actionTexts[action]} by ${by} (${via}), ${minuteOf(at)}`
    return `<dt>${escapeHtml(visible(call))}</dt><dd>${escapeHtml(visible(text))}</dd>`
  })
  return `<dl>${facts.join("")}</dl>`
}
