import { expect, test } from "vitest"
import { createLogger } from "../../../../cli/program/logger.ts"
import { createEntryReader } from "../../../../worker/log/engine-log.ts"
import { createRetryReader } from "../../../../worker/log/engine-retries.ts"
import { logEngineEntries } from "../../../../worker/runtime.ts"

/** The log at a terminal that `adjutant dev` fills with entries of the engine. */
const openLog = () => {
  let text = ""
  const sink = { write: (piece: string) => void (text += piece) }
  const write = logEngineEntries(createLogger({ sink, verbose: false, format: "lines", redact: (piece) => piece }))
  return {
    text: () => text,
    add: (message: string, meta: Readonly<Record<string, unknown>>) => write({ level: "WARN", message, meta }),
  }
}

const line = (message: string, meta: Readonly<Record<string, unknown>>): string => {
  const log = openLog()
  log.add(message, meta)
  return log.text()
}

const activity = {
  workflowId: "subagent/k3x9ab",
  workflowType: "llmAgent",
  workflowRunId: "0197",
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
  expect(createEntryReader()({ message: "Failed to poll", meta: activity }).fields).toEqual({ engine: activity })
})

const badKey = new Error("anthropic refused the API key (HTTP 401); check ANTHROPIC_API_KEY")
const failAsWhole = (log: ReturnType<typeof openLog>, runId: string, error: Error) =>
  log.add("Workflow failed", { workflowId: activity.workflowId, workflowType: "llmAgent", runId, error })

test("a run that fails with its model call has a line of its own, which does not repeat the reason", () => {
  const log = openLog()
  log.add("Activity failed", { ...activity, activityType: "callModel", attempt: 1, error: badKey })
  failAsWhole(log, activity.workflowRunId, badKey)
  expect(log.text()).toBe(
    [
      `warning: task k3x9ab: the model call failed: ${badKey.message}\n`,
      "warning: task k3x9ab: the run failed, because the model call failed as reported above\n",
    ].join(""),
  )
})

test("log collectors get the reason of every failed run", () => {
  const read = createEntryReader()
  read({ message: "Activity failed", meta: { ...activity, activityType: "callModel", error: badKey } })
  const { workflowId, workflowRunId: runId } = activity
  const { fields } = read({ message: "Workflow failed", meta: { workflowId, runId, error: badKey } })
  expect(fields).toEqual({ session_id: "k3x9ab", engine: { workflowId, runId, reason: badKey.message } })
})

test("a run that fails for another reason, or after another run's call, has a line of its own", () => {
  const log = openLog()
  log.add("Activity failed", { ...activity, activityType: "runTool", attempt: 1, error: new Error("disk full") })
  failAsWhole(log, activity.workflowRunId, new Error("the run reached its limit of 5 steps: raise it with --max-steps"))
  failAsWhole(log, activity.workflowRunId, new Error("disk full"))
  failAsWhole(log, "0198", new Error("disk full"))
  expect(log.text()).toBe(
    [
      "warning: task k3x9ab: the tool call failed: disk full\n",
      "warning: task k3x9ab: the run failed: the run reached its limit of 5 steps: raise it with --max-steps\n",
      "warning: task k3x9ab: the run failed: disk full\n",
      "warning: task k3x9ab: the run failed: disk full\n",
    ].join(""),
  )
})

test("requests that are repeated while Temporal cannot be reached are one line, not one for each poll", () => {
  const log = openLog()
  const refused = (code: string, message: string) =>
    `Status { code: ${code}, message: "${message}", source: Some(tonic::transport::Error(Transport, ConnectError)) }`
  for (const times of [5, 6, 7])
    for (const call of ["poll_activity_task_queue", "poll_workflow_task_queue"])
      log.add(`gRPC call ${call} retried ${times} times`, { error: refused("Unavailable", "tcp connect error") })
  log.add("gRPC call poll_activity_task_queue retried 5 times", { error: refused("ResourceExhausted", "rps limit") })
  expect(log.text()).toBe(
    "warning: requests to Temporal fail and are repeated until they succeed: Unavailable, tcp connect error\n" +
      "warning: requests to Temporal fail and are repeated until they succeed: ResourceExhausted, rps limit\n",
  )
})

test("they are shown again after a minute", () => {
  let now = 1_000
  const read = createRetryReader(() => now)
  const shown = () => read("gRPC call poll_activity_task_queue retried 9 times", 'code: Unavailable, message: "x"')
  expect(shown()?.isKnown).toBe(false)
  now += 59_999
  expect(shown()?.isKnown).toBe(true)
  now += 1
  expect(shown()?.isKnown).toBe(false)
})

test("a worker that has no workflows on purpose is not warned about", () => {
  expect(line("No workflows registered, not polling for workflow tasks", { sdkComponent: "worker" })).toBe("")
})
