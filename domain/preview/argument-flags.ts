import { isRecord } from "../text/is-record.ts"

/** Arguments of built-in tools that the summary, the diff or the text already shows. */
const shown: Readonly<Record<string, readonly string[]>> = {
  Read: ["file_path"],
  Write: ["file_path", "content"],
  Edit: ["file_path", "old_string", "new_string"],
  MultiEdit: ["file_path", "edits"],
  apply_patch: ["patch"],
  LS: ["path"],
  Glob: ["pattern"],
  Grep: ["pattern"],
  Bash: ["command"],
  WebFetch: ["url"],
  TodoWrite: ["todos"],
}

/** The usual time limit of a command, in milliseconds: models often write it out. */
const usualTimeoutMs = 120_000

const isDefault = (key: string, value: unknown): boolean =>
  value === false || value === undefined || value === null || (key === "timeout_ms" && value === usualTimeoutMs)

/** A description is the agent's word for what the call does, which the call may not do. */
const flagOf = (key: string, value: unknown): string =>
  key === "description" ? `the agent's words: ${JSON.stringify(value)}` : `${key}: ${JSON.stringify(value)}`

const editFlags = (edits: unknown): readonly string[] =>
  Array.isArray(edits)
    ? edits.flatMap((edit: unknown, index) =>
        isRecord(edit) && edit["replace_all"] === true ? [`edit ${index + 1}: replace_all: true`] : [],
      )
    : []

/** Returns the arguments of a built-in tool that are not the default, as `name: value`. Of other tools, the text shows every argument. */
export const argumentFlags = (name: string, args: Readonly<Record<string, unknown>>): readonly string[] => {
  const known = Object.hasOwn(shown, name) ? shown[name] : undefined
  if (known === undefined) return []
  const flags = Object.entries(args).flatMap(([key, value]) =>
    known.includes(key) || isDefault(key, value) ? [] : [flagOf(key, value)],
  )
  return name === "MultiEdit" ? [...flags, ...editFlags(args["edits"])] : flags
}
