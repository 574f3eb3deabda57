import { defineSearchAttributeKey, SearchAttributeType, TypedSearchAttributes } from "@temporalio/common"
import { sessionWorkflowId } from "../domain/engine/engine-names.ts"
import { memoOf, searchAttributesOf, type ShownSession, summaryOf } from "../domain/engine/shown-session.ts"
import { workflowTaskTimeoutMs } from "../domain/engine/workflow-task-timeout.ts"
import type { LlmAgentInput } from "../domain/run/agent-input.ts"
import type { EngineContext } from "./engine-context.ts"
import type { AgentStartOptions } from "./temporal-client.ts"

const typedAttributesOf = (session: ShownSession): TypedSearchAttributes =>
  new TypedSearchAttributes(
    searchAttributesOf(session).map(({ name, value }) => ({
      key: defineSearchAttributeKey(name, SearchAttributeType.KEYWORD),
      value,
    })),
  )

/** How a session's workflow is started; what is not text goes by reference. */
export const agentStartOptions = (
  { taskQueue, hasSearchAttributes }: Pick<EngineContext, "taskQueue" | "hasSearchAttributes">,
  session: ShownSession,
  input: LlmAgentInput,
): AgentStartOptions => ({
  workflowId: sessionWorkflowId(session.id),
  taskQueue,
  workflowTaskTimeout: workflowTaskTimeoutMs,
  args: [input],
  memo: memoOf(session),
  staticSummary: summaryOf(session),
  ...(hasSearchAttributes ? { typedSearchAttributes: typedAttributesOf(session) } : {}),
})
