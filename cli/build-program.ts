import { Command, Help } from "commander"
import {
  type CommandCall,
  type CommandEntry,
  type CommandModule,
  type CommandRunner,
  createCommandRunner,
} from "./commands/command.ts"
import type { CommandContext, Openers } from "./host/hosts.ts"
import type { CliContext } from "./program/cli-context.ts"
import { wrongUsage } from "./program/wrong-usage.ts"
import { commandTable } from "./command-table.ts"
import type { ExitCode, ExitMeanings } from "./terminal/exit-code.ts"
import { AdjutantError, isAdjutantError } from "../contracts/adjutant-error.ts"
import { explain } from "../domain/advice/explain.ts"
import { placeFlags } from "./program/place-flags.ts"
import { addGlobalOptions, addOptionsTopic, type GlobalOptions } from "./program/global-options.ts"
import { aliasesOf, meantBy } from "./completion/other-names.ts"
import { packageVersion } from "../worker/package-version.ts"

/** What a process provides, with streams that share the screen. */
type SharedEnvironment = Omit<CliContext, "options"> & Openers

/** Returns the program. Commands that `argv` does not mention have a name and a summary only, so that a start loads little. */
export const buildProgram = async (
  argv: readonly string[],
  environment: SharedEnvironment,
  onExitCode: (code: ExitCode) => void,
): Promise<Command> => {
  const program = addGlobalOptions(rootCommand(environment))
  const runnerOf = (entry: CommandEntry): CommandRunner =>
    createCommandRunner(async (command, action) => {
      const context = commandContext(environment, program.opts<GlobalOptions & Record<string, unknown>>())
      if (context.options.server !== undefined && entry.overHttp !== true)
        throw wrongUsage(`adjutant ${entry.name} works on this machine only: omit --server`)
      const call = { args: command.args, ...namedTask(command) }
      const reject = (error: unknown) => rejectExplained(context, error, call.target)
      onExitCode(await action(context, { ...call, flags: command.opts() }).catch(reject))
    })
  for (const entry of commandTable) {
    if (entry.heading !== undefined) program.commandsGroup(entry.heading)
    const short = aliasesOf(entry.name)
    if ([entry.name, ...short].some((name) => argv.includes(name)))
      addCommand(program, await entry.load(), runnerOf(entry), entry.exits)
    else program.command(entry.name).description(entry.summary)
    program.commands.at(-1)?.aliases(short)
  }
  return addOptionsTopic(program)
}

/** Removes `--help` after an unknown command, so that commander refuses the command instead of showing the help of the program. */
export const withoutHelpOfNothing = (program: Command, argv: readonly string[]): readonly string[] => {
  const [name] = program.parseOptions([...argv]).operands
  const isCommand = program.commands.some(
    (each) => each.name() === name || each.aliases().some((alias) => alias === name),
  )
  if (name === undefined || name === "help" || isCommand) return argv
  return argv.filter((word) => word !== "--help" && word !== "-h")
}

/** Returns the task that a command names: by `--parent`, whose child is meant, by `--checkpoint`, or by `<target>`. */
const namedTask = (command: Command): Pick<CommandCall<object>, "target"> => {
  const { parent, checkpoint } = command.opts<Readonly<Record<string, unknown>>>()
  const argument = command.registeredArguments[0]?.name() === "target" ? command.args[0] : undefined
  const named = [parent, checkpoint, argument].find((value) => typeof value === "string" && value !== "")
  return typeof named === "string" ? { target: named } : {}
}

/** Explains an error: names the project that has a missing task, and gives the commands in the advice the options of this one. */
const rejectExplained = async (context: CliContext, error: unknown, target: string | undefined): Promise<never> => {
  const explained = await (await import("./projects/explain-missing.ts")).explainMissing(context, error, target)
  const place = placeFlags(context)
  if (place.length === 0 || !isAdjutantError(explained) || explained.reason === undefined) throw explained
  throw new AdjutantError(explained.code, explain(explained, { kind: "cli", place }), { cause: explained })
}

const commandContext = (
  { openHost, openStore, openTasks, ...rest }: SharedEnvironment,
  options: GlobalOptions,
): CommandContext => {
  const inner = { ...rest, options }
  const { server } = options
  const openRemote = async (url: string) => (await import("./remote/open-remote-host.ts")).openRemoteHost(inner, url)
  return {
    ...inner,
    open: {
      engine: (hostOptions) => openHost(inner, hostOptions),
      store: (hostOptions) => openStore(inner, hostOptions),
      tasks: (hostOptions) => (server === undefined ? openTasks(inner, hostOptions) : openRemote(server)),
      reading: (hostOptions) => (server === undefined ? openStore(inner, hostOptions) : openRemote(server)),
    },
  }
}

const addCommand = (
  program: Command,
  add: CommandModule,
  run: CommandRunner,
  exits: ExitMeanings | undefined,
): void => {
  add(program, run)
  if (exits === undefined) return
  const lines = Object.entries(exits).map(([code, meaning]) => `  ${code.padEnd(4)}${meaning}`)
  program.commands.at(-1)?.addHelpText("after", `\nExit codes:\n${lines.join("\n")}`)
}

const rootCommand = ({ io }: SharedEnvironment): Command =>
  new Command("adjutant")
    .description("Run durable LLM sub-agents: they survive crashes, restarts and long waits for a person")
    .version(packageVersion(), "--version", "Print the version")
    .helpOption("-h, --help", "Show help")
    .commandsGroup("Help:")
    .helpCommand("help [command]", "Show help for a command")
    .configureHelp({
      sortSubcommands: false,
      // Also a narrow terminal breaks no word.
      minWidthToWrap: 24,
      subcommandTerm: (command) => withoutAlias(new Help().subcommandTerm(command)),
    })
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      getOutHelpWidth: () => io.stdout.columns ?? 100,
      getErrHelpWidth: () => io.stderr.columns ?? 100,
      outputError: (text, write) => write(`adjutant: ${oneSentence(withoutEndings(text))}\n`),
    })
    .addHelpText("after", exitCodeHelp)
    .addHelpText("afterAll", ({ command }) => (command.parent === null ? "" : optionsHint))
    .exitOverride()

const optionsHint = "\nOptions of every command: adjutant help options"

const withoutAlias = (term: string): string => term.replace(/\|\S+/, "")

const aliases: ReadonlySet<string> = new Set(commandTable.flatMap(({ name }) => aliasesOf(name)))

const endings: ReadonlySet<string> = new Set(
  commandTable.filter(({ endsTasks }) => endsTasks === true).map(({ name }) => name),
)

/** Suggests a command for an unknown one, such as `ps` of another program. A command that ends tasks is never suggested. */
const withoutEndings = (text: string): string => {
  const unknown = /^error: unknown command '(.+?)'/.exec(text)
  const command = meantBy(unknown?.[1] ?? "")
  if (unknown !== null && command !== undefined) return `${unknown[0]}\n(Did you mean ${command}?)`
  return text.replace(/\n\(Did you mean (?:one of )?(.+)\?\)/, (_, names: string) => {
    const safe = names.split(", ").filter((name) => !endings.has(name) && !aliases.has(name))
    if (safe.length === 0) return "; run adjutant --help to see the commands"
    return `\n(Did you mean ${safe.length === 1 ? "" : "one of "}${safe.join(", ")}?)`
  })
}

const oneSentence = (text: string): string =>
  text
    .replace(/^error: /, "")
    .replace(" is invalid. ", " is not valid: ")
    .replace(/\s*\n+\s*/g, " ")
    .trim()

const exitCodeHelp = `
Exit codes: 0 completed, 1 failed, 2 wrong usage or configuration, 10 paused, 129/130/143 interrupted.
Start with \`adjutant demo\` (offline) or \`adjutant doctor\`.`
