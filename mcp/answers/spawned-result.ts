import type { TaskReport } from "../../sessions/view/task-report.ts"
import type { Surface } from "../../domain/advice/surface.ts"
import { announceBlock, announcedResult, announceInstruction } from "../../domain/delegation/announce-block.ts"
import { taskDetails } from "../../domain/delegation/task/task-details.ts"
import { envelopeOf } from "../../sessions/view/task-report.ts"
import type { ToolAnswer } from "../../domain/delegation/tool-answer.ts"

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
      ...(facts.worktree === undefined ? {} : { worktree: facts.worktree }),
    }),
    structured: {
      status: "accepted",
      runId: facts.runId ?? "",
      childSessionKey: facts.sessionKey,
      sessionId: facts.id,
      outcome: facts.status,
      result: facts.result === null ? null : announcedResult(facts.result),
      next: announceInstruction,
    },
    isError: facts.status !== "completed",
  }
}

/** Returns the result of the call that started a session, once the session is final. */
export const spawnedResult = (report: TaskReport, surface: Surface): ToolAnswer => {
  switch (report.internal["tool"]) {
    case "Task":
      return envelopeOf(report)
    case "sessions_spawn":
      return announceOf(report)
    default: {
      const answer = taskDetails(report.facts, surface)
      return { ...answer, isError: report.facts.status !== "completed" }
    }
  }
}
