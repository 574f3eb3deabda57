import type { LoadedConfig } from "../../config/loaded-config.ts"
import type { Environment } from "../../domain/environment.ts"
import type { Finding } from "../../server/diagnose/finding.ts"
import { isExecutable, programOnPath } from "../../server/program/program-on-path.ts"
import { resolvePrograms } from "../../sessions/settings/fields/resolve-programs.ts"

/** Returns the programs that the configuration names, by the key that names them. */
const configuredPrograms = (loaded: LoadedConfig): readonly (readonly [key: string, command: string])[] => {
  const { agents, mcpServers, hooks } = resolvePrograms(loaded)
  return [
    ...Object.entries(agents).flatMap(([name, profile]) =>
      profile.type === "binary" ? [[`agents.${name}.command`, profile.command] as const] : [],
    ),
    ...Object.entries(mcpServers).flatMap(([name, server]) =>
      "command" in server ? [[`mcpServers.${name}.command`, server.command] as const] : [],
    ),
    ...Object.entries(hooks).flatMap(([event, list]) =>
      (list ?? []).flatMap((hook, index) =>
        "command" in hook ? [[`hooks.${event}[${index}].command`, hook.command] as const] : [],
      ),
    ),
  ]
}

/** Returns whether the programs of the configuration can be started; nothing if it names none. Starts none of them. */
export const examinePrograms = (loaded: LoadedConfig, env: Environment): readonly Finding[] => {
  const name = "programs"
  const programs = configuredPrograms(loaded)
  if (programs.length === 0) return []
  const isFound = (command: string): boolean =>
    command.includes("/") ? isExecutable(command) : programOnPath(command, env) !== undefined
  const problems = [
    ...programs.flatMap(([key, command]) =>
      isFound(command)
        ? []
        : [`${key}: ${command} ${command.includes("/") ? "is not an executable file" : "is not on PATH"}`],
    ),
    ...(loaded.config.security.allowBinaryAgents || !programs.some(([key]) => key.startsWith("agents."))
      ? []
      : ["profiles of type binary are refused, because security.allowBinaryAgents is off"]),
  ]
  if (problems.length === 0)
    return [{ name, status: "ok", detail: `found: ${[...new Set(programs.map(([, command]) => command))].join(", ")}` }]
  return [{ name, status: "warn", detail: problems.join("; "), hint: "install them, or correct the configuration" }]
}
