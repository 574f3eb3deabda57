import { resolve } from "node:path"
import type { RunSnapshot } from "../../../contracts/run-snapshot.ts"
import type { LoadedConfig } from "../../../config/loaded-config.ts"

interface Program {
  readonly command: string
  readonly cwd?: string
}

/** Resolves the programs that a worker starts: their paths and working directories, relative to the folder of the configuration file. */
export const resolvePrograms = ({
  config,
  projectRoot,
}: LoadedConfig): Pick<RunSnapshot, "mcpServers" | "hooks" | "agents"> => {
  const locate = (command: string): string => (command.includes("/") ? resolve(projectRoot, command) : command)
  const placed = <T extends Program>(program: T): T => ({
    ...program,
    command: locate(program.command),
    cwd: resolve(projectRoot, program.cwd ?? "."),
  })
  return {
    // Children are resolved from these profiles, on a worker that may not know the folder.
    agents: Object.fromEntries(
      Object.entries(config.agents).map(([name, profile]) => [
        name,
        profile.type === "binary" ? { ...profile, command: locate(profile.command) } : profile,
      ]),
    ),
    mcpServers: Object.fromEntries(
      Object.entries(config.mcpServers).map(([name, server]) => [name, "command" in server ? placed(server) : server]),
    ),
    hooks: Object.fromEntries(
      Object.entries(config.hooks).map(([event, hooks]) => [
        event,
        hooks?.map((hook) => ("command" in hook ? placed(hook) : hook)) ?? [],
      ]),
    ),
  }
}
