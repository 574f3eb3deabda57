import type { SessionDetail } from "../../../contracts/session-detail.ts"
import { sessionFacts } from "../../run/session-facts.ts"
import { fenceData } from "../text/fence-data.ts"
import type { ToolAnswer } from "../tool-answer.ts"
import { taskDetails, type TaskFacts } from "./task-details.ts"

const factLines = (session: SessionDetail): string =>
  sessionFacts(session)
    .flatMap(([name, text]) => (text === null ? [] : [`${name}: ${text.replaceAll(/\s+/g, " ")}`]))
    .join("\n")

/** Returns the answer of `subagents {action: "info"}`: the details of a task, and everything else that is known about its session. */
export const taskInfo = (facts: TaskFacts, session: SessionDetail): ToolAnswer => {
  const details = taskDetails(facts)
  return {
    ...details,
    text: `${details.text}\n\n${fenceData("session", factLines(session))}`,
    structured: { ...details.structured, session },
  }
}
