import type { DynamicSubagentTaskInput } from "../../contracts/delegation/tasks-input.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { findProfile } from "../../domain/prompts/builtin-profiles.ts"
import { subagentPrompt } from "../../domain/delegation/subagent-prompt.ts"
import { downgradeModel } from "../../domain/limits/model-choice.ts"
import type { Environment } from "../../domain/environment.ts"
import type { SessionsContext } from "../sessions-context.ts"
import type { SpawnOutcome, SpawnRequest } from "./spawn-request.ts"
import { startSubagent } from "./start-subagent.ts"

const agent = "general"

/** The lighter model, where it can be called. */
const downgraded = (snapshot: RunSnapshot, env: Environment): RunSnapshot => {
  const model = downgradeModel(snapshot.model, snapshot.models)
  const keyName = snapshot.models[model]?.apiKeyEnv
  return keyName !== undefined && (env[keyName] ?? "").trim() === "" ? snapshot : { ...snapshot, model }
}

/** `dynamic_subagent_task` from outside: its own instructions and tools, the lighter model, approval by policy. */
export const spawnDynamicTask = async (
  context: SessionsContext,
  spawn: SpawnRequest,
  input: DynamicSubagentTaskInput,
): Promise<SpawnOutcome> => {
  const { agents, subagents } = context.loaded.config
  const profile = findProfile(agent, agents)
  const ownModel = profile?.type === "llm" ? profile.model : undefined
  const model = ownModel ?? subagents.model
  return await startSubagent(context, spawn, {
    request: {
      prompt: subagentPrompt(input.instructions, input.context),
      agent,
      tools: input.tools,
      maxSteps: input.max_steps,
      sandbox: input.enable_sandbox,
      title: input.description,
      approval: "policy",
      ...(model === undefined ? {} : { model }),
      ...(subagents.thinking === undefined ? {} : { thinking: subagents.thinking }),
      ...(subagents.runTimeoutSeconds === 0 ? {} : { timeoutSeconds: subagents.runTimeoutSeconds }),
    },
    adjust: (snapshot, env) => (subagents.downgrade ? downgraded(snapshot, env) : snapshot),
  })
}
