import { defineSearchAttributeKey, SearchAttributeType, TypedSearchAttributes } from "@temporalio/common"
import type { RunSnapshot } from "../contracts/run-snapshot.ts"
import { sessionWorkflowId } from "../domain/engine/engine-names.ts"
import { memoOf, searchAttributesOf, type ShownSession, executionSummary } from "../domain/engine/shown-session.ts"
import { livenessProfiles } from "../domain/engine/liveness.ts"
import type { RunReference, SessionMessage } from "../domain/session/session-message.ts"
import type { LlmAgentInput } from "../domain/session/agent-input.ts"
import type { EngineContext } from "./engine-context.ts"
import type { AgentStartOptions } from "./temporal-client.ts"

const typedAttributesOf = (session: ShownSession): TypedSearchAttributes =>
  new TypedSearchAttributes(
    searchAttributesOf(session).map(({ name, value }) => ({
      key: defineSearchAttributeKey(name, SearchAttributeType.KEYWORD),
      value,
    })),
  )

/** The run that a message starts. */
export interface RunStart {
  readonly type: RunSnapshot["type"]
  readonly run: RunReference
  readonly message: SessionMessage
}

/** Returns the input of a workflow that a client starts. */
export const agentInput = (
  { hasSearchAttributes }: Pick<EngineContext, "hasSearchAttributes">,
  sessionId: string,
  { run, message }: RunStart,
): LlmAgentInput => ({
  session_id: sessionId,
  run,
  message,
  has_search_attributes: hasSearchAttributes,
})

const taskTimeoutOf = ({ liveness = "embedded" }: Pick<EngineContext, "liveness">) => {
  const { workflowTaskTimeoutMs } = livenessProfiles[liveness]
  return workflowTaskTimeoutMs === null ? {} : { workflowTaskTimeout: workflowTaskTimeoutMs }
}

/** Returns the start options of a session's workflow. */
export const agentStartOptions = (
  context: Pick<EngineContext, "taskQueue" | "hasSearchAttributes" | "liveness">,
  session: ShownSession,
  input: LlmAgentInput,
): AgentStartOptions => ({
  workflowId: sessionWorkflowId(session.id),
  taskQueue: context.taskQueue,
  ...taskTimeoutOf(context),
  args: [input],
  memo: memoOf(session),
  staticSummary: executionSummary(session),
  ...(context.hasSearchAttributes ? { typedSearchAttributes: typedAttributesOf(session) } : {}),
})
