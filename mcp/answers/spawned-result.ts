import type { TaskReport } from "../../sessions/view/task-report.ts"
import { announceBlock } from "../../domain/delegation/announce-block.ts"
import { taskDetails } from "../../domain/delegation/task/task-details.ts"
import { taskEnvelope } from "../../domain/delegation/task/task-envelope.ts"
import type { ToolAnswer } from "../../domain/delegation/tool-answer.ts"

/** Returns the answer of a `Task` call whose session is final. */
export const envelopeOf = (report: TaskReport): ToolAnswer => {
  const { facts, internal } = report
  return taskEnvelope({
    sessionId: facts.id,
    status: facts.status,
    stopReason: facts.stopReason,
    finalMessage: facts.result,
    error: facts.error,
    toolCounts: report.toolCounts,
    modelName: internal["model"] === "light" ? "light" : "main",
    subagentType: facts.agent,
    timeMs: facts.durationMs ?? 0,
    cwd: report.cwd,
    paramsInput: internal["params_input"] ?? null,
  })
}

const announceOf = (report: TaskReport): ToolAnswer => {
  const { facts, internal } = report
  return {
    text: announceBlock({
      childKey: facts.sessionKey,
      childId: facts.id,
      label: facts.label,
      description: facts.description,
      mode: internal["mode"] === "session" ? "session" : "run",
      outcome: { status: facts.status, stopReason: facts.stopReason },
      error: facts.error,
      resultText: facts.result,
      lastToolText: report.lastToolText,
      toolCounts: report.toolCounts,
      stepsTaken: facts.stepsTaken,
      runtimeMs: facts.durationMs ?? 0,
      usage: facts.usage,
    }),
    structured: {
      status: "accepted",
      runId: facts.runId ?? "",
      childSessionKey: facts.sessionKey,
      sessionId: facts.id,
      outcome: facts.status,
      result: facts.result,
    },
    isError: facts.status !== "completed",
  }
}

/** Returns the result of the call that started a session, once the session is final. */
export const spawnedResult = (report: TaskReport): ToolAnswer => {
  switch (report.internal["tool"]) {
    case "Task":
      return envelopeOf(report)
    case "sessions_spawn":
      return announceOf(report)
    default: {
      const answer = taskDetails(report.facts)
      return { ...answer, isError: report.facts.status !== "completed" }
    }
  }
}
