import { defineSearchAttributeKey, SearchAttributeType, TypedSearchAttributes } from "@temporalio/common"
import { sessionWorkflowId } from "../domain/engine/engine-names.ts"
import type { LlmAgentInput } from "../domain/run/agent-input.ts"
import { workflowTaskTimeoutMs } from "../domain/engine/workflow-task-timeout.ts"
import type { EngineContext } from "./engine-context.ts"
import type { AgentStartOptions } from "./temporal-client.ts"

const keyword = (name: string) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD)
const agentStatus = keyword("AgentStatus")
const agentProfile = keyword("AgentProfile")
const rootSession = keyword("RootSession")
const parentSession = keyword("ParentSession")

/** What of a session the engine shows. */
export interface ShownSession {
  readonly id: string
  readonly title: string | null
  readonly agent: string
  readonly model: string | null
  readonly depth: number
  readonly rootId: string
  readonly parentId: string | null
}

const summaryMaxChars = 200

/** The engine shows one line of at most 200 bytes or so; markdown of a title stays plain text. */
const summaryOf = (session: ShownSession): string => {
  const title = session.title === null ? "" : `: ${session.title.replaceAll(/\s+/g, " ").trim()}`
  return `${session.agent} ${session.id}${title}`.slice(0, summaryMaxChars)
}

/** How a session's workflow is started; what is not text goes by reference. */
export const agentStartOptions = (
  context: EngineContext,
  session: ShownSession,
  input: LlmAgentInput,
): AgentStartOptions => ({
  workflowId: sessionWorkflowId(session.id),
  taskQueue: context.taskQueue,
  workflowTaskTimeout: workflowTaskTimeoutMs,
  args: [input],
  memo: {
    title: session.title === null ? null : session.title.slice(0, summaryMaxChars),
    profile: session.agent,
    model: session.model,
    depth: session.depth,
  },
  staticSummary: summaryOf(session),
  ...(context.hasSearchAttributes
    ? {
        typedSearchAttributes: new TypedSearchAttributes([
          { key: agentStatus, value: "running" },
          { key: agentProfile, value: session.agent },
          { key: rootSession, value: session.rootId },
          ...(session.parentId === null ? [] : [{ key: parentSession, value: session.parentId }]),
        ]),
      }
    : {}),
})
