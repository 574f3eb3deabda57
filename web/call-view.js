import { element } from "./element.js"
import { lineDiff } from "./line-diff.js"
import { visible } from "./visible.js"

const json = (value) => JSON.stringify(value, null, 2)

const diffView = (before, after) =>
  element(
    "pre",
    { class: "diff" },
    ...lineDiff(before, after).map(({ kind, text }) =>
      element(kind === "same" ? "span" : kind, { textContent: visible(text) }),
    ),
  )

const without = (value, names) => Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))

/** Arguments that the parts before do not show, such as `replace_all`: none stays hidden. */
const restView = (rest) =>
  Object.keys(rest).length === 0 ? [] : [element("pre", { class: "rest", textContent: visible(json(rest)) })]

const isEdit = (edit) => typeof edit?.old_string === "string" && typeof edit.new_string === "string"

const editView = (edit) => [
  diffView(edit.old_string, edit.new_string),
  ...restView(without(edit, ["old_string", "new_string"])),
]

const titleKeys = ["file_path", "path", "pattern", "description", "label"]
const longestTitle = 200

/** The argument that the title shows whole. */
const titleKey = (args) => {
  const key = titleKeys.find((name) => args?.[name] !== undefined)
  const text = args?.[key]
  return typeof text === "string" && text.length <= longestTitle && !text.includes("\n") ? key : undefined
}

/** The parts that show a call of a known tool, and the arguments that they show. */
const special = ({ name, arguments: args }) => {
  if (name === "Write" && typeof args.content === "string")
    return { shown: ["content"], parts: [diffView("", args.content)] }
  if (name === "Edit" && isEdit(args))
    return { shown: ["old_string", "new_string"], parts: [diffView(args.old_string, args.new_string)] }
  if (name === "MultiEdit" && Array.isArray(args.edits) && args.edits.every(isEdit))
    return { shown: ["edits"], parts: args.edits.flatMap(editView) }
  if (name === "Bash" && typeof args.command === "string")
    return { shown: ["command"], parts: [element("pre", { textContent: visible(args.command) })] }
  return { shown: [], parts: [] }
}

/** What a call will do, as a person reads it: diffs for files, the command for Bash, JSON for the rest. */
export const callArguments = (call) => {
  const { shown, parts } = special(call)
  const rest = without(call.arguments, [...shown, titleKey(call.arguments)])
  return [...parts, ...restView(rest)]
}

/** One line: the tool and what it is about. */
export const callTitle = ({ name, arguments: args }) => {
  const key = titleKey(args)
  return visible(`${name} ${key === undefined ? "" : args[key]}`.trim())
}
