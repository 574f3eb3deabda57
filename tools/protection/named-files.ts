import { dirname, isAbsolute, resolve } from "node:path"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { interpretedPaths, scriptsOf } from "../../domain/workspace/interpreted-paths.ts"
import { possiblePaths } from "../../domain/workspace/possible-paths.ts"

interface Program {
  readonly command: string
  readonly args?: readonly string[]
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

const filesOf = ({ command, args = [], cwd, env = {} }: Program, base: string): readonly string[] => {
  const from = resolve(base, cwd ?? ".")
  const program = isAbsolute(command) || command.includes("/") ? [resolve(base, command)] : []
  // Variables such as NODE_OPTIONS and BASH_ENV name files that run, too.
  const texts = [...args, ...Object.values(env)]
  const names = [...texts.flatMap(possiblePaths), ...scriptsOf({ command, args }).flatMap(interpretedPaths)]
  return [...program, ...names.map((name) => resolve(from, name))]
}

type Named = Pick<RunSnapshot, "cwd" | "hooks" | "mcpServers" | "execution" | "agents" | "models">

/**
 * Returns the absolute paths that the configuration of a run may name: its file, the programs of hooks, MCP servers, profiles and
 * keys with their arguments and variables, and scripts of models. Some of them do not exist, since not every argument is a path.
 *
 * @param configPath the configuration file of the worker; null if it has none
 */
export const namedFiles = (run: Named, configPath: string | null): readonly string[] => {
  const base = configPath === null ? run.cwd : dirname(configPath)
  const programs: readonly Program[] = [
    ...Object.values(run.hooks)
      .flatMap((hooks) => hooks ?? [])
      .filter((hook) => "command" in hook),
    ...Object.values(run.mcpServers).filter((server) => "command" in server),
    ...(run.execution.type === "binary" ? [run.execution] : []),
    ...Object.values(run.agents).flatMap((agent) => (agent.type === "binary" ? [agent] : [])),
    ...Object.values(run.models).flatMap(({ apiKeyCommand }) => (apiKeyCommand === undefined ? [] : [apiKeyCommand])),
  ]
  const scripts = Object.values(run.models)
    .flatMap(({ script, cassette }) => [script, cassette?.file])
    .filter((file) => file !== undefined)
    .map((file) => resolve(base, file))
  const files = [...(configPath === null ? [] : [configPath]), ...scripts]
  return [...new Set([...files, ...programs.flatMap((program) => filesOf(program, base))])]
}
