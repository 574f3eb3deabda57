import { isRecord } from "../../text/is-record.ts"

/** Arguments as a model wrote them. */
export type WrittenArguments = Readonly<Record<string, unknown>>

const toCount = (value: unknown): number =>
  typeof value === "number" || typeof value === "string" ? Number(value) : NaN

const without = (args: WrittenArguments, ...names: readonly string[]): WrittenArguments =>
  Object.fromEntries(Object.entries(args).filter(([name]) => !names.includes(name)))

/** A count that means "no limit", or none at all, is left out. */
const withoutNone = (args: WrittenArguments, name: string, least: number): WrittenArguments =>
  toCount(args[name]) < least ? without(args, name) : args

/** A list with one text is that text. */
const only = (value: unknown): unknown => (Array.isArray(value) && value.length === 1 ? value[0] : value)

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "string")

const changed = (args: WrittenArguments, name: string, read: (value: unknown) => unknown): WrittenArguments =>
  args[name] === undefined ? args : { ...args, [name]: read(args[name]) }

/** Several globs are one: `{a,b}`. */
const oneGlob = (value: unknown): unknown => {
  const one = only(value)
  return isTexts(one) ? `{${one.join(",")}}` : one
}

const onePattern = (value: unknown): unknown => {
  const one = only(value)
  return isTexts(one) ? one.map((part) => `(?:${part})`).join("|") : one
}

/** The first and the last line, as `[first, last]` or by name, are an offset and a limit. A last line of -1 is the end. */
const withLines = (args: WrittenArguments): WrittenArguments => {
  const { view_range: range, end_line: end } = args
  const [first, last] = Array.isArray(range) ? range.map(toCount) : [toCount(args["offset"] ?? 1), toCount(end)]
  const rest = without(args, "view_range", "end_line")
  if (first === undefined || Number.isNaN(first) || (range === undefined && end === undefined)) return args
  const limit = last === undefined || !(last >= first) ? {} : { limit: last - first + 1 }
  return { ...rest, offset: first, ...(rest["limit"] === undefined ? limit : {}) }
}

/** Reads the arguments of Read. */
export const readLikeRead = (args: WrittenArguments): WrittenArguments => {
  const named = changed(args, "file_path", only)
  return withoutNone(withoutNone(withLines(named), "offset", 0), "limit", 1)
}

export const readLikeGlob = (args: WrittenArguments): WrittenArguments =>
  changed(changed(args, "pattern", oneGlob), "path", only)

const modes: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["files", "paths", "file_paths", "files_only", "filenames", "file_paths_with_matches"].map((name) => [
      name,
      "files_with_matches",
    ]),
  ),
  ...Object.fromEntries(["lines", "matches", "full"].map((name) => [name, "content"])),
  ...Object.fromEntries(["counts", "count_matches"].map((name) => [name, "count"])),
}

/** Flags of the command line that say what is shown: -l, -c. */
const withMode = (args: WrittenArguments): WrittenArguments => {
  const rest = without(args, "-l", "-c")
  const mode = args["output_mode"]
  if (typeof mode === "string") return { ...rest, output_mode: Object.hasOwn(modes, mode) ? modes[mode] : mode }
  if (args["-l"] === true) return { ...rest, output_mode: "files_with_matches" }
  return args["-c"] === true ? { ...rest, output_mode: "count" } : rest
}

/** Lines after, before and around a match are one number here: the largest. */
const withContext = (args: WrittenArguments): WrittenArguments => {
  const { "-A": after, "-B": before, "-C": around, ...rest } = args
  const counts = [after, before, around].filter((value) => value !== undefined).map(toCount)
  const isRead = counts.length > 0 && !counts.some(Number.isNaN) && rest["context"] === undefined
  const read = isRead ? { ...rest, context: Math.max(...counts) } : args
  const bounded = toCount(read["context"]) > maxContext ? { ...read, context: maxContext } : read
  return withoutNone(bounded, "context", 0)
}

/** As many lines around a match as Grep shows. */
const maxContext = 100

const withCase = (args: WrittenArguments): WrittenArguments => {
  const { case_sensitive: isSensitive, ...rest } = args
  if (typeof isSensitive !== "boolean") return args
  return rest["ignore_case"] === undefined && !isSensitive ? { ...rest, ignore_case: true } : rest
}

/** A type that is a glob is read as one, and an empty one is left out. */
const withType = (args: WrittenArguments): WrittenArguments => {
  const { type, ...rest } = args
  if (type === "") return rest
  if (typeof type !== "string" || !/[*.]/.test(type) || args["glob"] !== undefined) return args
  return { ...rest, glob: type.startsWith(".") ? `*${type}` : type }
}

/** Reads the arguments of Grep. */
export const readLikeGrep = (args: WrittenArguments): WrittenArguments => {
  const regex = typeof args["regex"] === "boolean" && args["regex"] ? without(args, "regex") : args
  const named = changed(changed(changed(regex, "pattern", onePattern), "glob", oneGlob), "path", only)
  return withoutNone(withType(withCase(withContext(withMode(named)))), "head_limit", 1)
}

/** Reads a list of todos, whose states may have other names, or none yet. */
export const readLikeTodos = (args: WrittenArguments): WrittenArguments => {
  const { todos } = args
  if (!Array.isArray(todos)) return args
  const state: Readonly<Record<string, string>> = {
    done: "completed",
    complete: "completed",
    todo: "pending",
    open: "pending",
  }
  const items = todos.map((item: unknown) => {
    if (!isRecord(item)) return item
    const status = item["status"] ?? "pending"
    return { ...item, status: typeof status === "string" && Object.hasOwn(state, status) ? state[status] : status }
  })
  return { ...args, todos: items }
}
