import type { SessionDetail } from "../../../contracts/session/session-detail.ts"
import type { Surface } from "../../advice/surface.ts"
import { sessionFacts } from "../../session/session-facts.ts"
import { fenceData } from "../../text/foreign/fence-data.ts"
import type { ToolAnswer } from "../tool-answer.ts"
import { taskDetails, type TaskFacts } from "./task-details.ts"

const factLines = (session: SessionDetail): string =>
  sessionFacts(session)
    .flatMap(([name, text]) => (text === null ? [] : [`${name}: ${text.replaceAll(/\s+/g, " ")}`]))
    .join("\n")

/** Returns the answer of `subagents {action: "info"}`: the details of a task, and everything else that is known about its session. */
export const taskInfo = (facts: TaskFacts, session: SessionDetail, surface: Surface): ToolAnswer => {
  const details = taskDetails(facts, surface)
  // What the details of the task say already.
  const { final_message: _answer, agent_message: _message, pause_reason: _pause, worktree: _changes, ...rest } = session
  return {
    ...details,
    text: `${fenceData("session", factLines(session))}\n\n${details.text}`,
    structured: { ...details.structured, session: rest },
  }
}
