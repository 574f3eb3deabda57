import { type Argument, Command, type Option } from "commander"
import type { CommandEntry } from "../../cli/commands/command.ts"
import { commandTable } from "../../cli/command-table.ts"
import { commonExits, type ExitMeanings } from "../../cli/terminal/exit-code.ts"
import { addGlobalOptions } from "../../cli/program/global-options.ts"
import { alternatives, bullet, code, escapeText, type Page, wrap } from "./markdown.ts"

/** Returns the program with every command declared; none of them can be run. */
export const declaredProgram = async (): Promise<Command> => {
  const program = addGlobalOptions(new Command("adjutant"))
  const neverRun = () => async () => {}
  const declareOnly = Object.assign(neverRun, { on: neverRun, onTask: neverRun })
  for (const entry of commandTable) (await entry.load())(program, declareOnly)
  return program
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, "")}.`

const defaultText = (value: unknown): string | undefined => {
  if (value === undefined || typeof value === "boolean") return undefined
  return `default: ${code(Array.isArray(value) ? value.join(",") : JSON.stringify(value).replaceAll('"', ""))}`
}

const details = (parts: readonly (string | undefined)[]): string => {
  const given = parts.filter((part) => part !== undefined)
  return given.length === 0 ? "" : ` (${given.join("; ")})`
}

const optionText = ({ flags, description, defaultValue, argChoices, mandatory }: Option): string =>
  bullet(
    `${code(flags)}: ${escapeText(description)}${details([
      argChoices === undefined ? undefined : alternatives(argChoices.map(code)),
      mandatory ? "required" : undefined,
      defaultText(defaultValue),
    ])}`,
  )

const argumentText = (argument: Argument): string =>
  bullet(
    `${code(argument.required ? `<${argument.name()}>` : `[${argument.name()}]`)}: ${escapeText(argument.description)}`,
  )

const usage = (command: Command): string => {
  const names: string[] = []
  for (let each: Command | null = command; each !== null; each = each.parent) names.unshift(each.name())
  return `\`\`\`text\n${names.join(" ")} ${command.usage()}\n\`\`\``
}

const exitTexts = (exits: ExitMeanings): string =>
  Object.entries(exits)
    .map(([exitCode, meaning]) => bullet(`${code(exitCode)}: ${escapeText(meaning)}`))
    .join("\n")

const partsOf = (command: Command, exits: ExitMeanings | undefined): readonly string[] => {
  const visible = command.options.filter(({ hidden }) => !hidden)
  return [
    wrap(escapeText(sentence(command.description()))),
    usage(command),
    command.registeredArguments.map(argumentText).join("\n"),
    ...(visible.length === 0 ? [] : ["Options:", visible.map(optionText).join("\n")]),
    ...(exits === undefined ? [] : ["Exit codes of this command:", exitTexts(exits)]),
  ]
}

const sectionOf = ({ name, exits, overHttp }: CommandEntry, program: Command): readonly string[] => {
  const command = program.commands.find((each) => each.name() === name)
  if (command === undefined) throw new Error(`the command table has ${name}, and the program has not`)
  return [
    `## ${code(`adjutant ${name}`)}`,
    ...partsOf(command, exits),
    ...(overHttp === true ? [`Works with ${code("--server")}.`] : []),
    ...command.commands.flatMap((below) => [
      `### ${code(`adjutant ${name} ${below.name()}`)}`,
      ...partsOf(below, undefined),
    ]),
  ]
}

/** Returns the page of every command, from the command table. */
export const cliPage = async (): Promise<Page> => {
  const program = await declaredProgram()
  return {
    title: "Command-line reference",
    blocks: [
      wrap(
        "Results are printed on standard output, everything else on standard error. `adjutant <command> --help` shows the same.",
      ),
      "## Options of every command",
      program.options.map(optionText).join("\n"),
      "## Exit codes",
      exitTexts(commonExits),
      wrap("Commands with other meanings list them below."),
      ...commandTable.flatMap((entry) => sectionOf(entry, program)),
    ],
  }
}
