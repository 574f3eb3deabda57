import { homedir } from "node:os"
import { dirname, isAbsolute, resolve } from "node:path"
import type { AgentProfile } from "../../contracts/config/agent-profile.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { interpretedPaths, scriptsOf } from "../../domain/workspace/interpreted-paths.ts"
import { namedFolder, shellPaths } from "../../domain/workspace/possible-paths.ts"

interface Program {
  readonly command: string
  readonly args?: readonly string[]
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

/** Variables with folders from which a program loads code. */
const folderVariables: ReadonlySet<string> = new Set([
  ...["PATH", "PYTHONPATH", "NODE_PATH", "PERL5LIB", "RUBYLIB", "CLASSPATH"],
  ...["LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"],
])

const foldersOf = (env: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(env)
    .filter(([name]) => folderVariables.has(name))
    .flatMap(([, value]) => value.split(":"))
    .filter((folder) => folder !== "" && !folder.split("/").includes("node_modules"))

const filesOf = ({ command, args = [], cwd, env = {} }: Program, base: string): readonly string[] => {
  const home = homedir()
  const from = resolve(base, cwd ?? ".")
  const program = isAbsolute(command) || command.includes("/") ? [resolve(base, command)] : []
  // Variables such as NODE_OPTIONS and BASH_ENV name files that run, too.
  const texts = [...args, ...Object.values(env)]
  const scripts = scriptsOf({ command, args }, home).flatMap(interpretedPaths)
  const names = [...texts.flatMap((text) => shellPaths(text, home)), ...scripts]
  const folders = foldersOf(env).map((folder) => namedFolder(resolve(from, folder)))
  return [...program, ...names.map((name) => resolve(from, name)), ...folders]
}

/** What of a configuration names programs and files. */
export interface NamingConfig extends Pick<RunSnapshot, "hooks" | "mcpServers" | "models"> {
  readonly agents: Readonly<Record<string, AgentProfile>>
}

type Named = NamingConfig & Pick<RunSnapshot, "cwd" | "execution">

const namedBy = ({ hooks, mcpServers, agents, models }: NamingConfig, base: string): readonly string[] => {
  const programs: readonly Program[] = [
    ...Object.values(hooks)
      .flatMap((each) => each ?? [])
      .filter((hook) => "command" in hook),
    ...Object.values(mcpServers).filter((server) => "command" in server),
    ...Object.values(agents).flatMap((agent) => (agent.type === "binary" ? [agent] : [])),
    ...Object.values(models).flatMap(({ apiKeyCommand }) => (apiKeyCommand === undefined ? [] : [apiKeyCommand])),
  ]
  const scripts = Object.values(models)
    .flatMap(({ script, cassette }) => [script, cassette?.file])
    .filter((file) => file !== undefined)
    .map((file) => resolve(base, file))
  return [...scripts, ...programs.flatMap((program) => filesOf(program, base))]
}

/**
 * Returns the absolute paths that the configuration of a run, and that of the worker, may name: its file, the programs of hooks, MCP servers, profiles and
 * keys with their arguments and variables, and scripts of models. Some of them do not exist, since not every argument is a path. See `namedFolder` for
 * folders from which a program loads code.
 *
 * @param worker the configuration of the worker: a run need not have all of it, such as one without a model
 * @param configPath the configuration file of the worker; null if it has none
 */
export const namedFiles = (run: Named, configPath: string | null, worker?: NamingConfig): readonly string[] => {
  const base = configPath === null ? run.cwd : dirname(configPath)
  const program = run.execution.type === "binary" ? filesOf(run.execution, base) : []
  const own = worker === undefined ? [] : namedBy(worker, base)
  return [...new Set([...(configPath === null ? [] : [configPath]), ...namedBy(run, base), ...program, ...own])]
}
