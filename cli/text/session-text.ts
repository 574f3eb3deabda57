import { counted } from "../../domain/text/figures.ts"
import { statusWords } from "../../domain/operator/status-words.ts"
import type { Session } from "../../contracts/session/session.ts"
import { pendingCallLines } from "./approval-text.ts"
import type { SessionDetail } from "../../contracts/session/session-detail.ts"
import { type Fact, sessionFacts } from "../../domain/session/session-facts.ts"
import { noPaint, type Paint } from "../terminal/paint.ts"
import { agoText, costText, usageWithCost, withAges } from "./figures.ts"
import { oneLine, plainText } from "../terminal/plain-text.ts"
import { table } from "./table.ts"

export interface ListTableOptions {
  /** In milliseconds. */
  readonly now: number
  /** With the number of each sub-agent, `#n`. */
  readonly isNumbered: boolean
  readonly paint?: Paint
  /** Of the terminal that shows it. */
  readonly columns?: number | undefined
}

/** Returns the table of `adjutant list`. */
export const listTable = (
  sessions: readonly Session[],
  { now, isNumbered, paint = noPaint, columns }: ListTableOptions,
): string =>
  table(
    [...(isNumbered ? ["#"] : []), "ID", "STATUS", "AGENT", "STEPS", "COST", "STARTED", "TITLE"],
    sessions.map((session) => [
      ...(isNumbered ? [session.number === null ? "-" : `#${session.number}`] : []),
      session.id,
      paintedStatus(session, paint),
      session.agent,
      String(session.steps_taken),
      session.usage.cost_usd === null ? "-" : costText(session.usage.cost_usd),
      agoText(session.created_at, now),
      oneLine(session.title ?? "", 60),
    ]),
    { columns, dropped: ["STEPS", "AGENT", "COST"] },
  )

/** Returns the status in its colour: only what needs a person is yellow, what went wrong is red. */
export const paintedStatus = (
  session: Pick<Session, "status" | "stop_reason" | "blocked_by">,
  paint: Paint,
): string => {
  const text = statusWords(session)
  if (session.blocked_by.length > 0) return paint.cyan(text)
  switch (session.status) {
    case "paused":
      return paint.yellow(text)
    case "completed":
      return paint.green(text)
    case "failed":
    case "timed_out":
      return paint.red(text)
    case "pending":
    case "running":
      return paint.cyan(text)
    case "cancelled":
      return paint.dim(text)
  }
}

/** Returns which calls of the latest run need no decision. */
const unaskedText = (approval: NonNullable<SessionDetail["approval"]>): string => {
  if (approval === "all") return "none needed: every call runs without a decision"
  if (approval === "policy") return "as the policy says"
  return `none needed for ${approval.join(", ")}`
}

/** Returns what was sent and not read yet; null if there is nothing. */
const queuedText = ({ queued_messages: queued }: SessionDetail): string | null =>
  queued.length === 0
    ? null
    : queued.map(({ type, text }) => `${type === "steering" ? "steering" : "for the next run"}: ${text}`).join(" · ")

/** The facts whose moments are shown as ages. */
const datedFacts: ReadonlySet<string> = new Set(["blocked by", "run", "created", "updated", "archived"])

/** Returns what `adjutant info` shows. */
export const sessionText = (session: SessionDetail, paint: Paint = noPaint, now = Date.now()): string => {
  const facts: readonly Fact[] = [
    ["task", session.id],
    ["title", session.title],
    ["status", statusWords(session)],
    ["agent", `${session.agent} on ${session.model}`],
    ...(session.approval === null ? [] : [["approval", unaskedText(session.approval)] as const]),
    ["directory", session.cwd],
    ["parent", session.parent_session_id],
    ["checkpoint", session.checkpoint_id],
    ["used", `${counted(session.steps_taken, "step")} · ${usageWithCost(session.usage)}`],
    ...sessionFacts(session),
    ["queued", queuedText(session)],
    ["engine", engineStateText(session)],
  ]
  const lines = facts.flatMap(([name, text]) => {
    if (text === null) return []
    const value = oneLine(datedFacts.has(name) ? withAges(text, now) : text, 1_000)
    return [`${paint.dim(name.padEnd(12))}${name === "status" ? paintedStatus(session, paint) : value}`]
  })
  return [...lines, ...questionLines(session), ...pendingLines(session, paint), ...finalLines(session)].join("\n")
}

/** Returns null if the status is enough. */
const engineStateText = ({ engine_state }: Session): string | null => {
  if (engine_state === "not_found") return "does not know this task; it stays open until a second check confirms that"
  return engine_state === "unknown" ? "cannot be asked about this task; the recorded state is shown" : null
}

const questionLines = ({ pause_reason, agent_message }: SessionDetail): readonly string[] =>
  pause_reason?.type === "input_required" && agent_message !== null && agent_message.trim() !== ""
    ? [
        "",
        "waiting for an answer:",
        ...plainText(agent_message)
          .split("\n")
          .map((line) => `  ${line}`),
      ]
    : []

const pendingLines = (session: Session, paint: Paint): readonly string[] =>
  (session.pause_reason?.pending_tool_calls ?? []).flatMap((call) => {
    const [first = "", ...rest] = pendingCallLines(call, "", paint)
    return ["", `waiting for a decision: ${first}`, ...rest]
  })

const finalLines = (session: Session): readonly string[] =>
  session.final_message === null || session.final_message === "" ? [] : ["", plainText(session.final_message)]
