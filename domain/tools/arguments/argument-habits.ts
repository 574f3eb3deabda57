import { isRecord } from "../../text/is-record.ts"
import { readLikeGlob, readLikeGrep, readLikeRead, readLikeTodos, type WrittenArguments } from "./search-habits.ts"

/** How models that learned other harnesses write the arguments of a built-in tool. */
interface Habits {
  /** Other names of an argument, by the tool's own. */
  readonly aliases?: Readonly<Record<string, readonly string[]>>
  /** Keys that other tools have and that change nothing here. */
  readonly idle?: readonly string[]
  /** The same for the items of a list. */
  readonly items?: Readonly<Record<string, Habits>>
  /** Reads what is more than another name. */
  readonly rewrite?: (args: WrittenArguments) => WrittenArguments
}

const filePath = ["path", "filename", "file", "filepath", "filePath", "absolute_path", "target_file"]
const directory = ["dir", "directory", "dir_path", "target_directory"]

const edit: Habits = {
  aliases: {
    old_string: ["old_str", "oldString", "old_text", "oldText"],
    new_string: ["new_str", "newString", "new_text", "newText"],
    replace_all: ["replaceAll"],
  },
}

const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`

/** A command as a list of words is one command line, each word quoted where the shell would read it otherwise. */
const withCommandLine = (args: WrittenArguments): WrittenArguments => {
  const { command } = args
  const isList = Array.isArray(command) && command.length > 0 && command.every((word) => typeof word === "string")
  return isList ? { ...args, command: command.map(quoted).join(" ") } : args
}

const habits: Readonly<Record<string, Habits>> = {
  Read: {
    aliases: {
      file_path: [...filePath, "paths", "file_paths", "uri"],
      offset: ["start_line", "line_start", "start"],
      limit: ["max_lines", "num_lines", "line_count"],
    },
    idle: ["should_read_entire_file", "encoding"],
    rewrite: readLikeRead,
  },
  Write: { aliases: { file_path: filePath, content: ["contents", "text", "file_text"] } },
  Edit: { aliases: { file_path: filePath, ...edit.aliases } },
  MultiEdit: { aliases: { file_path: filePath }, items: { edits: edit } },
  apply_patch: { aliases: { patch: ["input", "diff", "patch_text", "patchText"] } },
  LS: { aliases: { path: [...directory, "file_path"] } },
  Glob: { aliases: { pattern: ["glob", "glob_pattern", "patterns"], path: directory }, rewrite: readLikeGlob },
  Grep: {
    aliases: {
      pattern: ["query", "regex", "search", "search_pattern"],
      path: [...directory, "paths"],
      ignore_case: ["-i", "case_insensitive"],
      glob: ["include", "file_pattern", "include_pattern"],
      context: ["context_lines"],
      head_limit: ["max_results", "max_count", "limit"],
      multiline: ["-U"],
    },
    idle: ["-n", "-r", "-R", "-E", "-H"],
    rewrite: readLikeGrep,
  },
  Bash: { aliases: { command: ["cmd", "script"], timeout_ms: ["timeout"] }, rewrite: withCommandLine },
  WebFetch: { aliases: { url: ["uri", "link"], max_chars: ["max_length", "maxChars"] }, idle: ["prompt"] },
  TodoWrite: {
    aliases: { todos: ["plan", "items"] },
    items: {
      todos: {
        aliases: { content: ["text", "task", "step", "title"] },
        idle: ["activeForm", "active_form", "id", "priority"],
      },
    },
    rewrite: readLikeTodos,
  },
}

export const isBuiltin = (tool: string): boolean => Object.hasOwn(habits, tool) || tool === "Skill"

/** Returns the other names of a tool's arguments, at any depth. */
export const otherNames = (tool: string): ReadonlySet<string> => {
  const own = Object.hasOwn(habits, tool) ? habits[tool] : undefined
  return new Set([own, ...Object.values(own?.items ?? {})].flatMap((each) => Object.values(each?.aliases ?? {}).flat()))
}

/** Returns the arguments of a built-in tool under its own names. Two names with different values stay, so that the tool refuses them. */
export const withOwnNames = (tool: string, args: WrittenArguments): WrittenArguments =>
  Object.hasOwn(habits, tool) ? renamed(args, habits[tool] ?? {}) : args

const renamed = (
  args: WrittenArguments,
  { aliases = {}, idle = [], items = {}, rewrite }: Habits,
): WrittenArguments => {
  const named: Record<string, unknown> = Object.fromEntries(Object.entries(args).filter(([key]) => !idle.includes(key)))
  for (const [own, others] of Object.entries(aliases))
    for (const other of others) {
      if (!Object.hasOwn(named, other)) continue
      if (named[own] !== undefined && named[own] !== named[other]) continue
      named[own] = named[other]
      delete named[other]
    }
  for (const [key, each] of Object.entries(items)) {
    const list = named[key]
    if (Array.isArray(list)) named[key] = list.map((item: unknown) => (isRecord(item) ? renamed(item, each) : item))
  }
  return rewrite === undefined ? named : rewrite(named)
}
