import { basename, join, relative } from "node:path"
import { shownPath } from "../disk/disk-path.ts"
import { listDirectory } from "../disk/list-directory.ts"
import { isInside } from "../../domain/workspace/is-inside.ts"
import { dataDirName } from "../../domain/workspace/data-directory.ts"
import { type FixedPaths, foldName } from "../../domain/workspace/protected-paths.ts"
import { sandboxUnavailable } from "../sandbox-unavailable.ts"
import { type Content, contentAt, type KeepBytes, typeAt } from "./content.ts"
import { findProtected, fixedPaths, type ProtectionScope } from "./find-protected.ts"
import { linkSteps } from "./link-steps.ts"
import {
  entryAt,
  type ProtectedEntry,
  type ProtectedRole,
  scanConcurrency,
  TooManyDirectories,
} from "./scan-protected.ts"
import type { WatchedEntry } from "./watch-record.ts"

/** With more directories, a scan would take longer than most commands. */
const maxDirectories = 200_000
/** Each protected path takes about three arguments of the sandbox, and bubblewrap accepts 9,000. */
const maxFixedPaths = 2_000
/** Files in protected directories included. */
const maxEntries = 20_000

/** What is protected in a working directory before a command. */
export interface ProtectedState {
  readonly entries: readonly WatchedEntry[]
  /** What the sandbox must make read-only. */
  readonly fixed: FixedPaths
}

const refuse = (cwd: string, what: string, advice: string): never => {
  throw sandboxUnavailable(`what is protected in ${cwd} cannot be determined, since ${what}; ${advice}`)
}

const smaller = "work in a smaller directory"

interface Found {
  readonly path: string
  readonly role: ProtectedRole
  readonly isNamed: boolean
}

/** Returns whether a path is a data directory: its content changes all the time, and no command can write to one that exists. */
export const isDataDir = (path: string): boolean => foldName(basename(path)) === dataDirName

/** Reads what is in protected directories, and follows links one by one: each link and what it leads to is noted. */
const createWalk = (cwd: string, read: (path: string) => Promise<Content>) => {
  const entries = new Map<string, WatchedEntry>()
  const seen = new Set<string>()
  const targets: string[] = []
  const queue: Found[] = []

  const add = (found: Found): void => {
    if (seen.has(found.path)) return
    seen.add(found.path)
    if (seen.size > maxEntries) refuse(cwd, `it contains more than ${maxEntries} protected files`, smaller)
    queue.push(found)
  }

  const follow = async (link: Found): Promise<void> => {
    const { links, real } = await linkSteps(link.path)
    if (isInside(real, cwd))
      refuse(cwd, `the link ${shownPath(relative(cwd, link.path))} leads to the directory itself`, "remove the link")
    for (const path of [...links, real].filter((each) => isInside(cwd, each))) {
      targets.push(path)
      add({ path, role: "other", isNamed: link.isNamed })
    }
  }

  const visit = async (found: Found): Promise<void> => {
    const { path, role, isNamed } = found
    const content = await read(path)
    if (content.type === "unreadable")
      refuse(cwd, `${shownPath(relative(cwd, path))} is protected and cannot be read`, "make it readable, or remove it")
    entries.set(path, { path, role, isNamed, content })
    if (content.type === "link") await follow(found)
    if (content.type !== "directory" || isDataDir(path)) return
    for (const { name } of await listDirectory(path))
      if (name !== "node_modules") add({ path: join(path, name), role: "other", isNamed })
  }

  return {
    add,
    async run(): Promise<{ readonly entries: readonly WatchedEntry[]; readonly targets: readonly string[] }> {
      while (queue.length > 0) await Promise.all(queue.splice(-scanConcurrency).map(visit))
      return { entries: [...entries.values()], targets }
    },
  }
}

const find = async (scope: ProtectionScope) => {
  const { cwd } = scope
  try {
    const found = await findProtected(scope)
    const [unlisted] = found.unlisted
    if (unlisted !== undefined)
      refuse(
        cwd,
        `its directory ${shownPath(unlisted.path)} cannot be listed (${unlisted.problem})`,
        "make it readable, or remove it",
      )
    return found
  } catch (error) {
    if (error instanceof TooManyDirectories)
      return refuse(cwd, `it contains more than ${scope.maxDirectories ?? maxDirectories} directories`, smaller)
    throw error
  }
}

type Scope = Omit<ProtectionScope, "unlock">

const walkProtected = async (scope: Scope, read: (path: string) => Promise<Content>) => {
  const { cwd } = scope
  const found = await find({ ...scope, unlock: false, maxDirectories: scope.maxDirectories ?? maxDirectories })
  const walk = createWalk(cwd, read)
  for (const { path, role } of found.entries) walk.add({ path: join(cwd, path), role, isNamed: found.named.has(path) })
  return { found: found.entries, ...(await walk.run()) }
}

/**
 * Returns what is protected in a working directory, with the contents. What cannot be compared afterwards is an error: a check must not be left out.
 * @throws AdjutantError `sandbox_unavailable`
 */
export const describeBefore = async (scope: Scope, keep: KeepBytes): Promise<ProtectedState> => {
  const { cwd } = scope
  const { found, entries, targets } = await walkProtected(scope, (path) => contentAt(path, keep))
  const reached = await Promise.all([...new Set(targets)].map((path) => entryAt(cwd, relative(cwd, path))))
  const fixed = fixedPaths(cwd, [
    ...found,
    ...reached.filter((entry): entry is ProtectedEntry => entry !== undefined),
    ...entries.filter(({ content }) => content.type === "link").map(({ path }) => linkEntry(cwd, path)),
  ])
  if (fixed.readOnly.length + fixed.pinned.length > maxFixedPaths)
    refuse(cwd, `it contains more than ${maxFixedPaths} protected files and directories on the way to them`, smaller)
  return { entries, fixed }
}

/**
 * Returns the absolute paths that are protected with everything in them, as commands find them, including the targets of links.
 * @throws AdjutantError `sandbox_unavailable`
 */
export const protectedTrees = async (scope: Scope): Promise<readonly string[]> =>
  (await walkProtected(scope, typeAt)).entries.map(({ path }) => path)

const linkEntry = (cwd: string, path: string): ProtectedEntry => ({
  path: relative(cwd, path),
  role: "other",
  type: "link",
})
