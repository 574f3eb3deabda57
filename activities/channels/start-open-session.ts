import { sessionWorkflowId } from "../../domain/engine/engine-names.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import type { LlmAgentInput } from "../../domain/session/agent-input.ts"
import { startVerified } from "../../engine/start-verified.ts"
import { agentStartOptions } from "../../engine/session-start-options.ts"
import { signMessage } from "../../sessions/messages/sign-message.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { BindingActivities, StartOpenSessionInput } from "../contract/binding-activities.ts"

const openSessionInput = ({ child, parentSessionId, hasSearchAttributes }: StartOpenSessionInput): LlmAgentInput => ({
  session_id: child.id,
  run: child.run,
  message: child.message,
  has_search_attributes: hasSearchAttributes,
  parent_session_id: parentSessionId,
  stay_open: true,
})

/**
 * Creates the activity that starts a session by signal-with-start: it works whether the execution is open, closing or missing, and a repetition sends one
 * message. A run that ended although its start was not recorded, because the worker died, is not started again.
 */
export const createStartOpenSession =
  ({
    store,
    temporal,
    engine,
    liveness,
  }: Pick<AgentDependencies, "store" | "temporal" | "engine" | "liveness">): BindingActivities["startOpenSession"] =>
  async (input) => {
    const { child, parentSessionId } = input
    const run = await store.runs.get(child.run.run_id)
    if (run !== undefined && isFinal(run.status)) return
    const signed = await signMessage(store, child.id, child.message)
    await startVerified({ temporal, engine }, sessionWorkflowId(child.id), () =>
      temporal.workflow.signalWithStart(child.workflowType, {
        ...agentStartOptions({ ...input, liveness }, { ...child, parentId: parentSessionId }, openSessionInput(input)),
        signal: "inbox",
        signalArgs: [signed],
        workflowIdReusePolicy: "ALLOW_DUPLICATE",
      }),
    )
  }
