import type { LlmProfile, SubagentsConfig } from "../../contracts/config/agent-profile.ts"

type OwnSubagents = NonNullable<LlmProfile["subagents"]>

const isLongerTimeout = (own: number, shared: number): boolean => shared > 0 && (own === 0 || own > shared)

/**
 * Returns the settings of a profile for its sub-agents that would allow more than those for all. `ownName`: the profile, which may always delegate to
 * itself.
 */
export const widenedSubagents = (
  own: OwnSubagents,
  shared: SubagentsConfig,
  ownName: string,
): readonly (keyof OwnSubagents)[] => {
  const { maxSpawnDepth = 0, maxChildrenPerAgent = 0, runTimeoutSeconds, allowAgents = [] } = own
  const mayUse = (name: string): boolean =>
    name === ownName || shared.allowAgents.includes("*") || shared.allowAgents.includes(name)
  const isWider = [
    ["maxSpawnDepth", maxSpawnDepth > shared.maxSpawnDepth],
    ["maxChildrenPerAgent", maxChildrenPerAgent > shared.maxChildrenPerAgent],
    [
      "runTimeoutSeconds",
      runTimeoutSeconds !== undefined && isLongerTimeout(runTimeoutSeconds, shared.runTimeoutSeconds),
    ],
    ["allowAgents", !allowAgents.every(mayUse)],
    ["requireAgentId", shared.requireAgentId && own.requireAgentId === false],
    ["downgrade", shared.downgrade && own.downgrade === false],
  ] as const
  return isWider.filter(([, wider]) => wider).map(([key]) => key)
}
