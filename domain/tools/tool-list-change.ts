import { visible } from "../text/visible.ts"

/** Hashes of the tools of an MCP server, by name. */
export type ToolHashes = ReadonlyMap<string, string>

/** Names of the tools in which two lists differ, in alphabetical order. */
export interface ToolListChange {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** Tools whose description, schemas or annotations are different. */
  readonly changed: readonly string[]
}

/** What people are told of a server whose tools are not those that were pinned. */
export interface ToolListWarning extends ToolListChange {
  readonly server: string
  readonly message: string
  /** Identifies the list that the server returned: the same for the same list. */
  readonly list: string
}

/** Returns how a list differs from the pinned one; undefined if it does not. */
export const toolListChange = (pinned: ToolHashes, listed: ToolHashes): ToolListChange | undefined => {
  const names = [...new Set([...pinned.keys(), ...listed.keys()])].toSorted()
  const differing = names.filter((name) => pinned.get(name) !== listed.get(name))
  if (differing.length === 0) return undefined
  return {
    added: differing.filter((name) => !pinned.has(name)),
    removed: differing.filter((name) => !listed.has(name)),
    changed: differing.filter((name) => pinned.has(name) && listed.has(name)),
  }
}

const shownNames = 10
const shownCharacters = 60

/** The server chose the names: they are cut, and written out where a person would not see them. */
const cutList = (what: string, names: readonly string[]): readonly string[] => {
  if (names.length === 0) return []
  const shown = names
    .slice(0, shownNames)
    .map((name) => visible(name.replaceAll(/\s+/g, " ")).slice(0, shownCharacters))
  return [`${what} ${shown.join(", ")}${names.length > shownNames ? ` and ${names.length - shownNames} more` : ""}`]
}

/** Returns the change in one line. */
export const toolListChangeText = (server: string, pinnedAt: string, change: ToolListChange): string => {
  const parts = [
    ...cutList("changed", change.changed),
    ...cutList("new", change.added),
    ...cutList("missing", change.removed),
  ]
  return `the tools of MCP server ${server} differ from those pinned at ${pinnedAt}: ${parts.join("; ")}`
}
