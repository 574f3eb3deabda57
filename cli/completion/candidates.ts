import type { Command, Option } from "commander"
import { aliasesOf } from "./other-names.ts"

/** A word that completes what is typed, and what it means. */
export interface Candidate {
  readonly word: string
  readonly about: string
}

/** Reads names that only the store has. */
export interface StoredNames {
  /** Ids and labels of tasks. */
  tasks(): Promise<readonly Candidate[]>
  /** Ids of open checkpoints. */
  checkpoints(): Promise<readonly Candidate[]>
  /** Names of profiles. */
  profiles(): Promise<readonly Candidate[]>
}

const optionsOfCommand = (command: Command): readonly Option[] => {
  const own = command.options.filter(({ hidden }) => !hidden)
  return command.parent === null ? own : [...own, ...optionsOfCommand(command.parent)]
}

/** Returns the option that a word is, if its value is the next word. */
const openOption = (command: Command, word: string | undefined): Option | undefined =>
  word === undefined
    ? undefined
    : optionsOfCommand(command).find((option) => option.required && (option.short === word || option.long === word))

/** Returns the command that words before the last one name, and how many arguments it has. */
const positionOf = (program: Command, before: readonly string[]): { command: Command; given: number } => {
  let command = program
  let given = 0
  for (const [index, word] of before.entries()) {
    if (word.startsWith("-") || openOption(command, before[index - 1]) !== undefined) continue
    const below = command.commands.find((each) => each.name() === word || each.aliases().includes(word))
    if (below === undefined) given += 1
    else command = below
  }
  return { command, given }
}

const commandsOf = (program: Command): readonly Candidate[] =>
  program.commands.flatMap((command) => {
    const about = command.description()
    if (command.name() === "options") return []
    return [command.name(), ...aliasesOf(command.name())].map((word) => ({ word, about }))
  })

const namesFor = async (name: string, choices: readonly string[] | undefined, stored: StoredNames) => {
  if (choices !== undefined) return choices.map((word) => ({ word, about: "" }))
  switch (name) {
    case "target":
    case "parent":
    case "root":
      return await stored.tasks()
    case "checkpoint":
      return await stored.checkpoints()
    case "agent":
      return await stored.profiles()
    default:
      return []
  }
}

const candidatesAt = async (
  program: Command,
  words: readonly string[],
  stored: StoredNames,
): Promise<readonly Candidate[]> => {
  const before = words.slice(0, -1)
  const { command, given } = positionOf(program, before)
  const option = openOption(command, before.at(-1))
  if (option !== undefined) return await namesFor(option.attributeName(), option.argChoices, stored)
  if (words.at(-1)?.startsWith("-") === true)
    return optionsOfCommand(command).map(({ long, short, description }) => ({
      word: long ?? short ?? "",
      about: description,
    }))
  if (command.commands.length > 0) return commandsOf(command)
  const argument = command.registeredArguments[given]
  return argument === undefined ? [] : await namesFor(argument.name(), argument.argChoices, stored)
}

/** Returns what can be the last of these words. `program`: with the commands loaded that the words name. */
export const candidatesFor = async (
  program: Command,
  words: readonly string[],
  stored: StoredNames,
): Promise<readonly Candidate[]> => {
  const typed = words.at(-1) ?? ""
  return (await candidatesAt(program, words, stored)).filter(({ word }) => word.startsWith(typed))
}
