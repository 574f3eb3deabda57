import { projectNoteNames } from "../prompts/compose-system-prompt.ts"
import { dataDirName } from "./data-directory.ts"
import {
  maxProtectedSegments,
  protectedByName,
  protectedByPath,
  protectedPrefixes,
  protectedSuffixes,
} from "./protected-names.ts"

/** Name of the configuration file that Adjutant looks for. */
export const configFileName = "adjutant.config.yaml"

/** Characters that some file systems leave out when they compare names. */
const ignorable = /\p{Default_Ignorable_Code_Point}/gu

/**
 * Returns a name as the least exact file system compares it: without upper case, compatibility characters, ignorable characters, the stream of a file,
 * and dots and spaces at the end.
 */
export const foldName = (name: string): string => {
  const folded = name.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC").replaceAll(ignorable, "")
  const plain = folded.replace(/:.*$/s, "").replace(/[. ]+$/, "")
  return /^git~\d$/.test(plain) ? ".git" : plain
}

/** Files and directories that programs outside run or obey by themselves, by their folded names, at any depth. */
const protectedNames: ReadonlySet<string> = new Set(
  [configFileName, dataDirName, ...projectNoteNames, ...protectedByName].map(foldName),
)

const isProtectedName = (name: string): boolean =>
  protectedNames.has(name) ||
  protectedPrefixes.some((prefix) => name.startsWith(prefix)) ||
  protectedSuffixes.some((suffix) => name.endsWith(suffix))

const protectedEnds: ReadonlySet<string> = new Set(protectedByPath.map((path) => path.join("/")))

/** Returns how many segments from an index on are a path that is protected as a whole. */
const protectedLength = (names: readonly string[], index: number): number | undefined => {
  for (let length = 2; length <= maxProtectedSegments; length += 1)
    if (protectedEnds.has(names.slice(index, index + length).join("/"))) return length
  return undefined
}

/** The parts of a git directory that run code, or that name a file which runs. */
const gitControl: ReadonlySet<string> = new Set(["config", "config.worktree", "hooks", "commondir", "gitdir"])
/** Parts of a git directory that contain names which anyone can choose. */
const gitNames: ReadonlySet<string> = new Set(["objects", "refs", "logs"])

/** Returns whether a part of a git directory contains names that anyone can choose, and nothing that runs code. */
export const isGitNames = (name: string): boolean => gitNames.has(foldName(name))

/** Git's lists of its next steps, for example in a rebase. They can contain commands, although git writes them itself. */
const gitTodos: ReadonlySet<string> = new Set(["rebase-merge/git-rebase-todo", "sequencer/todo"])

/** Returns whether a path ends in a list of steps that git continues with. */
export const isGitTodo = (segments: readonly string[]): boolean =>
  gitTodos.has(segments.slice(-2).map(foldName).join("/"))

/** Returns how many segments of a path inside a git directory lead to a part that runs code; undefined if none does. */
export const gitControlDepth = (inside: readonly string[]): number | undefined => {
  const [first, ...rest] = inside.map(foldName)
  if (first === undefined) return undefined
  if (gitControl.has(first)) return 1
  if (first === "info") return rest[0] === "attributes" ? 2 : undefined
  if (isGitTodo([first, rest[0] ?? ""])) return 2
  if (first !== "modules" && first !== "worktrees") return undefined
  // The directory of a submodule has the submodule's name, which can contain slashes.
  for (const [index, name] of rest.entries()) {
    if (index === 0) continue
    if (gitNames.has(name)) return undefined
    const depth = gitControlDepth(inside.slice(index + 1))
    if (depth !== undefined) return index + 1 + depth
  }
  return undefined
}

export interface ProtectedPart {
  /** How many segments of the path lead to the protected file or directory. */
  readonly depth: number
  /** `git`: in a git directory, but in a part that git itself writes and that runs nothing. */
  readonly kind: "entry" | "git"
}

/**
 * Returns the protected part of a path: files and directories with which a program outside is made to run code or to obey. This function alone decides
 * it, for file tools, sandboxes and the check after a command.
 *
 * @param segments the path relative to the working directory, without links, `.` and `..`
 */
export const protectedPart = (segments: readonly string[]): ProtectedPart | undefined => {
  const names = segments.map(foldName)
  for (const [index, name] of names.entries()) {
    if (name === ".git") {
      const control = gitControlDepth(segments.slice(index + 1))
      return control === undefined ? { depth: index + 1, kind: "git" } : { depth: index + 1 + control, kind: "entry" }
    }
    if (isProtectedName(name)) return { depth: index + 1, kind: "entry" }
    const length = protectedLength(names, index)
    if (length !== undefined) return { depth: index + length, kind: "entry" }
  }
  return undefined
}

/** Returns the segments that lead to the protected part of a path; undefined if it has none. */
export const protectedSegments = (segments: readonly string[]): readonly string[] | undefined => {
  const part = protectedPart(segments)
  return part === undefined ? undefined : segments.slice(0, part.depth)
}

/** Returns whether the entries of a directory make it a git directory. Its name does not matter: git would read its configuration from there. */
export const looksLikeGitDirectory = (names: Iterable<string>): boolean => {
  const found = new Set([...names].map(foldName))
  return (
    found.has("head") &&
    (found.has("objects") || found.has("commondir")) &&
    (found.has("refs") || found.has("commondir"))
  )
}

const gitParts: ReadonlySet<string> = new Set(["head", "objects", "refs", "commondir"])

/** Returns a directory that all of these files together may make a git directory, although none of them alone does. */
export const perhapsGitDirectory = (paths: Iterable<string>): string | undefined => {
  const found = new Map<string, string>()
  for (const path of paths) {
    const segments = path.split("/")
    for (const [index, segment] of segments.entries()) {
      const name = foldName(segment)
      if (!gitParts.has(name)) continue
      const directory = segments.slice(0, index).join("/")
      if ((found.get(directory) ?? name) !== name) return directory === "" ? "." : directory
      found.set(directory, name)
    }
  }
  return undefined
}

/** What a sandbox keeps in place in a working directory, by absolute paths. */
export interface FixedPaths {
  /** Files and directories that a command can read only. */
  readonly readOnly: readonly string[]
  /** Directories on the way to them, outer ones first, which a command can neither move nor remove. */
  readonly pinned: readonly string[]
}
