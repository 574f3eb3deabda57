import { ApplicationFailure } from "@temporalio/activity"
import type { Execution, RunSnapshot } from "../../../contracts/run-snapshot.ts"
import { errorMessage } from "../../../domain/text/error-message.ts"
import { readLastProgress } from "../../../sessions/rows/read-last-progress.ts"
import type { AgentDependencies } from "../../agent-dependencies.ts"
import type { RunToolInput } from "../../contract/agent-activities.ts"
import type { CallManner, CallResult, CallTool, MissingTool, ToolEnd } from "../call-manner.ts"
import { answerRow, readAnswerRow } from "./answer-row.ts"
import { bridgedTool } from "./bridged-tool.ts"
import { commandTool } from "./command-tool.ts"
import { failedRunCall } from "./failed-call.ts"
import { programTool } from "./program-tool.ts"

/** Returns the one tool of a run without a model, as this worker has it, or why it does not have it. */
const onlyTool = async (
  deps: AgentDependencies,
  input: RunToolInput,
  snapshot: RunSnapshot,
): Promise<CallTool | MissingTool> => {
  const { execution } = snapshot
  switch (execution.type) {
    case "binary":
      return programTool(deps, input, { snapshot, execution })
    case "mcp-bridge":
      return await bridgedTool(deps, input, { snapshot, execution })
    case "command":
      return await commandTool(deps, { snapshot, execution })
    case "llm":
      throw ApplicationFailure.nonRetryable("a model has tools of its own choice", "internal_error")
  }
}

/** Returns why the run fails whose one call threw. */
const thrownBy = ({ type }: Execution, text: string): { readonly code: string; readonly message: string } => {
  switch (type) {
    case "binary":
      return { code: "binary_failed", message: `the program could not be run: ${text}` }
    case "command":
      return { code: "command_failed", message: `the command could not be run: ${text}` }
    case "mcp-bridge":
    case "llm":
      return { code: "tool_failed", message: text }
  }
}

/** Returns what a command had written when its worker was lost: what came after it is not known. */
const lastOutput = async (
  { store }: AgentDependencies,
  run: RunToolInput,
  { type }: Execution,
): Promise<{ readonly partial?: string }> => {
  const output = type === "command" ? (await readLastProgress(store, run)).trimEnd() : ""
  return output === "" ? {} : { partial: `${output}\n[the last output before its worker was lost]` }
}

/** Returns what becomes of the one call of a run without a model: its result is the answer of the run's agent, and how it ends is how the run ends. */
export const asOneCall = async (
  deps: AgentDependencies,
  input: RunToolInput,
  snapshot: RunSnapshot,
): Promise<CallManner> => {
  const { execution } = snapshot
  const endOf = ({ content, failure }: CallResult): ToolEnd => {
    if (failure === undefined) return { outcome: "ok", content, extra: { executed: true } }
    const error = { ...failure.error, message: deps.redact(failure.error.message) }
    return { outcome: "error", content, extra: { executed: true, failure: { ...failure, error } } }
  }
  return {
    tool: await onlyTool(deps, input, snapshot),
    idempotent: "idempotent" in execution && execution.idempotent,
    toRow: (end) => answerRow(snapshot, end),
    fromRow: readAnswerRow,
    unknown: async (message) => {
      const output = await lastOutput(deps, input, execution)
      return { ...endOf(failedRunCall({ code: "outcome_unknown", message, ...output })), outcome: "unknown" }
    },
    refused: ({ code, text: message }) => endOf(failedRunCall({ code, message })),
    misfit: (message) => endOf(failedRunCall({ code: "invalid_argument", message })),
    thrown: (error) => endOf(failedRunCall(thrownBy(execution, errorMessage(error)))),
    returned: async (result) => (result.question === undefined ? endOf(result) : { question: result.question }),
  }
}
