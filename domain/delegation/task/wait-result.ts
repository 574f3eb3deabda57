import { advise } from "../../advice/advise.ts"
import type { Surface } from "../../advice/surface.ts"
import { isFinal } from "../../run/is-final.ts"
import { counted } from "../../text/figures.ts"
import { toolAnswerOf, type ToolAnswer } from "../tool-answer.ts"
import { noteOn, type TaskFacts, taskPart } from "./task-details.ts"

/** How a wait ended. */
export interface Waited {
  /** In the order of the request. */
  readonly tasks: readonly TaskFacts[]
  /** Its timeout ended the wait before all were final or paused. */
  readonly timedOut: boolean
  /** What else to say. */
  readonly notes?: readonly string[]
}

const waitHeadline = ({ tasks, timedOut }: Waited, open: readonly string[]): string => {
  if (tasks.length === 0) return "No sub-agent of yours is at work."
  if (timedOut) return `Timed out; still running: ${open.join(", ") || "none"}. Nothing was cancelled.`
  return tasks.length === 1
    ? "The task is final or paused."
    : `All ${counted(tasks.length, "task")} are final or paused.`
}

/** Returns the answer of a wait: every task in the order of the request. */
export const waitResult = (waited: Waited, surface: Surface): ToolAnswer => {
  const { tasks, timedOut, notes = [] } = waited
  const ids = tasks.filter(({ status }) => !isFinal(status) && status !== "paused").map(({ id }) => id)
  const parts = tasks.map((facts) => taskPart(facts, surface))
  const again = ids.length === 0 ? undefined : advise({ about: "still_running", ids }, surface)
  return toolAnswerOf({
    text: [[waitHeadline(waited, ids), ...notes].join("\n"), ...parts.map(({ text }) => text)].join("\n\n---\n\n"),
    data: {
      timed_out: timedOut,
      tasks: parts.map(({ structured }) => structured),
      ...(notes.length === 0 ? {} : { notes }),
    },
    next: [...(again === undefined ? [] : [again]), ...noteOn(tasks)].join(" "),
    reported: parts.flatMap(({ reported = [] }) => reported),
  })
}
