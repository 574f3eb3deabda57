import type { ToolAnswer } from "../tool-answer.ts"
import { taskDetailsData, taskDetailsText, type TaskFacts } from "./task-details.ts"

const isSettled = (facts: TaskFacts): boolean => facts.status !== "pending" && facts.status !== "running"

/** Returns the answer of `wait_for_tasks`: every task in the order of the request. `timedOut`: the timeout ended the wait before all were final or paused. `notes`: what else to say. */
export const waitResult = (
  tasks: readonly TaskFacts[],
  timedOut: boolean,
  notes: readonly string[] = [],
): ToolAnswer => {
  const open = tasks.filter((facts) => !isSettled(facts))
  const note = timedOut
    ? `Timed out; still running: ${open.map((facts) => facts.id).join(", ") || "none"}. Nothing was cancelled.`
    : `All ${tasks.length} tasks are final or paused.`
  return {
    text: [[note, ...notes].join("\n"), ...tasks.map(taskDetailsText)].join("\n\n---\n\n"),
    structured: { timed_out: timedOut, tasks: tasks.map(taskDetailsData), ...(notes.length === 0 ? {} : { notes }) },
    isError: false,
  }
}
