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

const edits = (args) =>
  Array.isArray(args.edits) ? args.edits : [{ old_string: args.old_string, new_string: args.new_string }]

/** A path alone, which the title tells already. */
const isInTitle = (args) => {
  const keys = Object.keys(args)
  return keys.length === 1 && ["file_path", "path", "pattern"].includes(keys[0]) && typeof args[keys[0]] === "string"
}

/** What a call will do, as a person reads it: diffs for files, the command for Bash, JSON for the rest. */
export const callArguments = ({ name, arguments: args }) => {
  const text = (value) => (typeof value === "string" ? value : "")
  if (isInTitle(args)) return []
  if (name === "Write" && typeof args.content === "string") return [diffView("", args.content)]
  if (name === "Edit" || name === "MultiEdit")
    return edits(args).map((edit) => diffView(text(edit?.old_string), text(edit?.new_string)))
  if (name === "Bash") return [element("pre", { textContent: visible(text(args.command)) })]
  return [element("pre", { textContent: visible(json(args)) })]
}

/** One line: the tool and what it is about. */
export const callTitle = ({ name, arguments: args }) => {
  const about = args?.file_path ?? args?.path ?? args?.pattern ?? args?.description ?? args?.label ?? ""
  return visible(`${name} ${typeof about === "string" ? about.split("\n")[0] : ""}`.trim())
}
