import { expect, test } from "vitest"
import { createLogger } from "../../../cli/program/logger.ts"
import { readableEntry } from "../../../worker/engine-log.ts"

/** What `adjutant dev` shows at a terminal for an entry of the engine. */
const line = (message: string, meta: Readonly<Record<string, unknown>>): string => {
  let text = ""
  const sink = { write: (piece: string) => void (text += piece) }
  const logger = createLogger({ sink, verbose: false, format: "lines", redact: (piece) => piece })
  const entry = readableEntry({ message, meta })
  logger.warn(entry.fields, entry.message)
  return text
}

const activity = {
  workflowId: "subagent/k3x9ab",
  workflowType: "llmAgent",
  runId: "0197",
  taskToken: "CiQw",
  namespace: "default",
  taskQueue: "adjutant-store",
  durationMs: 12,
}

test("a failed model call is one line that names the task and the reason", () => {
  const error = new Error("anthropic refused the API key (HTTP 401); check ANTHROPIC_API_KEY")
  expect(line("Activity failed", { ...activity, activityType: "callModel", attempt: 1, error })).toBe(
    "warning: task k3x9ab: the model call failed: anthropic refused the API key (HTTP 401); check ANTHROPIC_API_KEY\n",
  )
})

test("a later attempt is counted, and the reason behind an error is part of the line", () => {
  const error = new Error("the store failed", { cause: new Error("disk full") })
  expect(line("Activity failed", { ...activity, activityType: "openRun", attempt: 3, error })).toBe(
    "warning: task k3x9ab: the activity openRun failed at attempt 3: the store failed: disk full\n",
  )
})

test("a failed workflow that is no session is named by its id", () => {
  expect(line("Workflow failed", { ...activity, workflowId: "reconcile", error: new Error("broken") })).toBe(
    "warning: reconcile: the workflow failed: broken\n",
  )
})

test("other entries of the engine keep their message and lose what only log collectors need", () => {
  expect(line("Failed to poll", { ...activity, error: new Error("unavailable") })).toBe(
    "warning: Temporal: Failed to poll: unavailable\n",
  )
  expect(readableEntry({ message: "Failed to poll", meta: activity }).fields).toEqual({ engine: activity })
})
