import { structuredPatch } from "diff"
import { visible } from "../../domain/text/visible.ts"
import type { TranscriptRow } from "../api/shapes.ts"

export interface ShownCall {
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}

/** A part of a call: a diff, or a text. */
export type CallPart =
  | { readonly kind: "diff"; readonly text: string }
  | { readonly kind: "text"; readonly text: string; readonly isRest?: true }

const json = (value: unknown): string => JSON.stringify(value, null, 2)
/** Above this many lines, a text is shown as removed and added as a whole: comparing takes long. */
const mostCompared = 3_000

const signed = (sign: string, text: string): readonly string[] =>
  text === ""
    ? []
    : text
        .replace(/\n$/, "")
        .split("\n")
        .map((line) => sign + line)

/** Returns the lines of a unified diff of two texts, without a header. */
export const diffOf = (before: string, after: string): string => {
  const isLong = before.split("\n").length + after.split("\n").length > mostCompared
  if (isLong || before === "" || after === "") return [...signed("-", before), ...signed("+", after)].join("\n")
  const { hunks } = structuredPatch("", "", before, after, "", "", { context: 3 })
  return hunks.flatMap(({ lines }) => lines.filter((line) => !line.startsWith("\\"))).join("\n")
}

const without = (value: Readonly<Record<string, unknown>>, names: readonly (string | undefined)[]) =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))

/** Arguments that the parts before do not show, such as `replace_all`: none stays hidden. */
const restOf = (rest: Readonly<Record<string, unknown>>): readonly CallPart[] =>
  Object.keys(rest).length === 0 ? [] : [{ kind: "text", text: visible(json(rest)), isRest: true }]

interface Edit extends Readonly<Record<string, unknown>> {
  readonly old_string: string
  readonly new_string: string
}

const isEdit = (edit: unknown): edit is Edit =>
  typeof edit === "object" &&
  edit !== null &&
  "old_string" in edit &&
  "new_string" in edit &&
  typeof edit.old_string === "string" &&
  typeof edit.new_string === "string"

const diffPart = ({ old_string: before, new_string: after }: Edit): CallPart => ({
  kind: "diff",
  text: visible(diffOf(before, after)),
})

const titleKeys = ["file_path", "path", "pattern", "description", "label"]
const longestTitle = 200

/** The argument that the title shows whole. */
const titleKey = (args: ShownCall["arguments"]): string | undefined => {
  const key = titleKeys.find((name) => args[name] !== undefined)
  const text = key === undefined ? undefined : args[key]
  return typeof text === "string" && text.length <= longestTitle && !text.includes("\n") ? key : undefined
}

/** The parts that show a call of a known tool, and the arguments that they show. */
const special = ({ name, arguments: args }: ShownCall): { shown: readonly string[]; parts: readonly CallPart[] } => {
  const { content, edits, command } = args
  if (name === "Write" && typeof content === "string")
    return { shown: ["content"], parts: [{ kind: "diff", text: visible(diffOf("", content)) }] }
  if (name === "Edit" && isEdit(args)) return { shown: ["old_string", "new_string"], parts: [diffPart(args)] }
  if (name === "MultiEdit" && Array.isArray(edits) && edits.every(isEdit)) {
    const parts = edits.flatMap((edit) => [diffPart(edit), ...restOf(without(edit, ["old_string", "new_string"]))])
    return { shown: ["edits"], parts }
  }
  if (name === "apply_patch" && typeof args["patch"] === "string")
    return { shown: ["patch"], parts: [{ kind: "diff", text: visible(args["patch"]) }] }
  if (name === "Bash" && typeof command === "string")
    return { shown: ["command"], parts: [{ kind: "text", text: visible(command) }] }
  return { shown: [], parts: [] }
}

/** What a call does, as a person reads it: diffs for files, the command for Bash, JSON for the rest. */
export const callParts = (call: ShownCall): readonly CallPart[] => {
  const { shown, parts } = special(call)
  return [...parts, ...restOf(without(call.arguments, [...shown, titleKey(call.arguments)]))]
}

const longestCommand = 100

/** Returns the beginning of a command, which a part of the call shows whole. */
const commandLine = ({ command }: ShownCall["arguments"]): string => {
  const [first = "", ...others] = typeof command === "string" ? command.trim().split("\n") : []
  const line = first.slice(0, longestCommand)
  return line.length < first.length || others.length > 0 ? `${line} …` : line
}

/** One line: the tool and what it is about. */
export const callTitle = ({ name, arguments: args }: ShownCall): string => {
  const key = titleKey(args)
  return visible(`${name} ${key === undefined ? commandLine(args) : String(args[key])}`.trim())
}

/** Returns what the calls of answers do, by their ids. Of equal ids, the last one counts. */
export const callTitlesOf = (rows: readonly Pick<TranscriptRow, "message">[]): ReadonlyMap<string, string> =>
  new Map(
    rows.flatMap(({ message }) =>
      message.role === "assistant"
        ? message.parts.flatMap((part): readonly (readonly [string, string])[] =>
            part.type === "tool_call"
              ? [[part.call.id, callTitle({ name: part.call.name, arguments: part.call.arguments ?? {} })]]
              : [],
          )
        : [],
    ),
  )
