import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { delegationGuidance } from "../../domain/prompts/delegation-guidance.ts"
import { resultGuidance } from "../../domain/prompts/result-guidance.ts"
import { skillsGuidance } from "../../domain/notes/skill.ts"
import type { ToolSpec } from "../../models/model-provider.ts"
import type { Tool } from "../../tools/tool.ts"
import { offeredDelegation } from "./offered-delegation.ts"
import { offeredSpecs } from "./offered-tools.ts"

/** The prefix of every prompt of a run. */
export interface ModelPrompt {
  readonly systemPrompt: string
  readonly tools: readonly ToolSpec[]
}

/** Returns the prefix that a provider caches: the same for every step of a run. `tools` are the run's ordinary tools. */
export const modelPrompt = (snapshot: RunSnapshot, tools: readonly Tool[], depth: number): ModelPrompt => {
  const { outputSchema } = snapshot
  const delegation = offeredDelegation(snapshot, depth)
  const skills = skillsGuidance(snapshot)
  return {
    systemPrompt: [
      snapshot.systemPrompt,
      ...(outputSchema === undefined ? [] : [resultGuidance(outputSchema)]),
      ...(skills === undefined ? [] : [skills]),
      ...(delegation.length === 0 ? [] : [delegationGuidance]),
    ].join("\n\n"),
    tools: [...offeredSpecs(snapshot, tools), ...delegation],
  }
}
