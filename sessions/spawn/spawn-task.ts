import type { TaskInput } from "../../contracts/delegation/task-input.ts"
import type { LlmProfile } from "../../contracts/config/agent-profile.ts"
import { findProfile } from "../../domain/prompts/builtin-profiles.ts"
import { taskModel } from "../../domain/limits/model-choice.ts"
import { composeTaskPrompt } from "../../domain/prompts/compose-system-prompt.ts"
import { rolePrompts } from "../../domain/prompts/role-prompts.ts"
import { readingToolNames } from "../../domain/tools/tool-names.ts"
import type { SessionsContext } from "../sessions-context.ts"
import type { SpawnOutcome, SpawnRequest } from "./spawn-request.ts"
import { startSubagent } from "./start-subagent.ts"

const promptOf = (profile: LlmProfile | undefined, type: TaskInput["subagent_type"]): string =>
  profile?.prompt ?? rolePrompts[type]

/** `Task` from outside: reads and searches only, by its role's prompt and the task's description alone. */
export const spawnTask = async (
  context: SessionsContext,
  spawn: SpawnRequest,
  input: TaskInput,
): Promise<SpawnOutcome> => {
  const { description, prompt, subagent_type: agent } = input
  const { config, models } = context.loaded
  const wanted = taskModel(agent, input.model)
  const profile = findProfile(agent, config.agents)
  const { runTimeoutSeconds } = config.subagents
  return await startSubagent(context, spawn, {
    request: {
      prompt,
      agent,
      model: Object.hasOwn(models, wanted) ? wanted : "main",
      tools: [...readingToolNames],
      title: description,
      ...(runTimeoutSeconds === 0 ? {} : { timeoutSeconds: runTimeoutSeconds }),
      metadata: { model: wanted, subagent_type: agent, params_input: input },
    },
    adjust: (snapshot) => ({
      ...snapshot,
      systemPrompt: composeTaskPrompt(promptOf(profile?.type === "llm" ? profile : undefined, agent), description),
      delegation: "none",
      delegationTools: null,
    }),
  })
}
