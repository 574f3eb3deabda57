import { ApplicationFailure } from "@temporalio/activity"
import type { RunSnapshot } from "../../../contracts/run-snapshot.ts"
import type { AgentDependencies } from "../../agent-dependencies.ts"
import type { RunToolInput } from "../../contract/agent-activities.ts"
import type { CallManner, MissingTool, ToolEnd } from "../call-manner.ts"
import { answerRow, readAnswerRow } from "./answer-row.ts"
import { bridgedTool } from "./bridged-tool.ts"
import { commandTool } from "./command-tool.ts"
import { failed, type OnlyResult, type OnlyTool } from "./only-tool.ts"
import { programTool } from "./program-tool.ts"

/** Returns the one tool of a run without a model, as this worker has it, or why it does not have it. */
const onlyTool = async (
  deps: AgentDependencies,
  input: RunToolInput,
  snapshot: RunSnapshot,
): Promise<OnlyTool | MissingTool> => {
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

/** Returns how the one call of a run without a model is executed: its result is the answer of the run's agent, and how it ends is how the run ends. */
export const asOneCall = async (
  deps: AgentDependencies,
  input: RunToolInput,
  snapshot: RunSnapshot,
): Promise<CallManner> => {
  const tool = await onlyTool(deps, input, snapshot)
  const { execution } = snapshot
  const endOf = (outcome: "error" | "unknown", { content, failure }: OnlyResult): ToolEnd => {
    if (failure === undefined) return { outcome: "ok", content, extra: { executed: true } }
    const error = { ...failure.error, message: deps.redact(failure.error.message) }
    return { outcome, content, extra: { executed: true, failure: { ...failure, error } } }
  }
  return {
    tool,
    idempotent: "idempotent" in execution && execution.idempotent,
    toRow: (end) => answerRow(snapshot, end),
    fromRow: readAnswerRow,
    unknown: (message) => endOf("unknown", failed({ code: "outcome_unknown", message })),
    refused: ({ code, text: message }) => endOf("error", failed({ code, message })),
    async execute({ call, context }) {
      if ("problem" in tool) throw new Error("a tool runs that is not here")
      const result = await tool.execute(call.arguments, context)
      return result.question === undefined ? endOf("error", result) : { question: result.question }
    },
  }
}
