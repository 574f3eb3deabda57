import type { RunSnapshot } from "../../contracts/run-snapshot.ts"

type Programs = Pick<RunSnapshot, "agent" | "cwd" | "execution" | "models" | "mcpServers" | "hooks" | "webhooks"> &
  Partial<Pick<RunSnapshot, "agents">>

/**
 * Returns what the settings of a run start or reach outside Adjutant, one line each: programs, MCP servers, hooks, webhooks and commands that return
 * keys. Those of a run that came from elsewhere were trusted elsewhere.
 */
export const foreignProgramsOf = ({ agent, execution, ...snapshot }: Programs): readonly string[] => {
  const lines = [
    ...(execution.type === "binary"
      ? [`program of ${agent}: ${JSON.stringify([execution.command, ...execution.args])}`]
      : []),
    ...Object.entries(snapshot.agents ?? {}).flatMap(([name, profile]) =>
      profile.type === "binary"
        ? [`program of ${name}: ${JSON.stringify([profile.command, ...(profile.args ?? [])])}`]
        : [],
    ),
    ...Object.entries(snapshot.mcpServers).map(([name, server]) => `MCP server ${name}: ${JSON.stringify(server)}`),
    ...Object.entries(snapshot.hooks).flatMap(([event, hooks]) =>
      hooks.map((hook) => `hook ${event}: ${JSON.stringify(hook)}`),
    ),
    ...snapshot.webhooks.map((webhook) => `webhook: ${JSON.stringify(webhook)}`),
    ...Object.entries(snapshot.models).flatMap(([name, { apiKeyCommand }]) =>
      apiKeyCommand === undefined ? [] : [`key of model ${name}: ${JSON.stringify(apiKeyCommand)}`],
    ),
  ]
  return [...new Set(lines)]
}
