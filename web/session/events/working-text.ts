import type { SessionEvent } from "../../../contracts/event.ts"
import type { SessionDetail } from "../../../contracts/session/session-detail.ts"
import { counted } from "../../../domain/text/figures.ts"
import { duration } from "../../shown/figures.ts"
import { prose } from "../../shown/prose.ts"
import { spansOf } from "./timeline-spans.ts"

/** Returns what a running session is doing, and for how long; undefined if it waits, which the banner says, or if its events are not known. */
export const workingText = (
  { status, blocked_by: blocked }: Pick<SessionDetail, "status" | "blocked_by">,
  events: readonly SessionEvent[],
  now: number,
  /** What calls do, by their ids; without it, the name of the tool is shown. */
  titles: ReadonlyMap<string, string> = new Map(),
): string | undefined => {
  if (status !== "running" || blocked.length > 0) return undefined
  const open = spansOf(events).filter(({ kind, toMs }) => toMs === undefined && (kind === "model" || kind === "tool"))
  const [first, ...others] = open
  if (first === undefined) return undefined
  const time = duration(Math.max(1_000, now - first.fromMs))
  if (first.kind === "model") return `The model has been working for ${time}`
  const name = titles.get(first.callId ?? "") ?? prose(first.name)
  return others.length === 0
    ? `${name} has been running for ${time}`
    : `${name} and ${counted(others.length, "more call")} have been running for ${time}`
}
