import type { Dirent } from "node:fs"
import { readdir, readlink } from "node:fs/promises"
import { join, matchesGlob, relative } from "node:path"
import { type ConfinedPath, heldPath, openDirectory } from "../disk/open-confined.ts"

export interface TreeOptions {
  /** Glob patterns for names and for paths relative to the root. */
  readonly ignore: readonly string[]
  /** Absolute paths that are not shown. */
  readonly hidden: readonly string[]
  readonly maxEntries: number
}

interface Node {
  readonly path: string
  readonly label: string
  readonly opens: boolean
  children: readonly Node[]
  leftOut: number
}

const closedNames: ReadonlySet<string> = new Set([".git", "node_modules"])

const isIgnored = (name: string, path: string, patterns: readonly string[]): boolean =>
  patterns.some((pattern) => {
    const plain = pattern.replace(/^\.\/|\/$/g, "")
    return matchesGlob(name, plain) || matchesGlob(path, plain)
  })

/** An entry, and for a link its target. */
interface Entry {
  readonly entry: Dirent
  readonly target?: string
}

const labelOf = ({ entry, target }: Entry): string => {
  if (entry.isDirectory()) return closedNames.has(entry.name) ? `${entry.name}/ (not opened)` : `${entry.name}/`
  return target === undefined ? entry.name : `${entry.name} -> ${target}`
}

const byKindAndName = (left: Dirent, right: Dirent): number =>
  Number(right.isDirectory()) - Number(left.isDirectory()) || (left.name < right.name ? -1 : 1)

/** Reads a directory through its handle: a link that replaces a part of its path meanwhile is not followed. */
const shownEntries = async (
  directory: ConfinedPath,
  isShown: (entry: Dirent) => boolean,
): Promise<readonly Entry[]> => {
  const handle = await openDirectory(directory)
  try {
    const held = await heldPath(handle, directory.real)
    const shown = (await readdir(held, { withFileTypes: true })).filter(isShown).toSorted(byKindAndName)
    return await Promise.all(
      shown.map(async (entry) => {
        if (!entry.isSymbolicLink()) return { entry }
        return { entry, target: await readlink(join(held, entry.name)).catch(() => "?") }
      }),
    )
  } finally {
    await handle.close()
  }
}

const childNodes = async (directory: string, root: string, options: TreeOptions): Promise<readonly Node[]> => {
  const pathOf = ({ name }: Dirent): string => join(directory, name)
  const entries = await shownEntries({ real: directory, shown: relative(root, directory) }, (entry) => {
    const path = pathOf(entry)
    return !options.hidden.includes(path) && !isIgnored(entry.name, relative(root, path), options.ignore)
  })
  return entries.map((shown) => ({
    path: pathOf(shown.entry),
    label: labelOf(shown),
    opens: shown.entry.isDirectory() && !closedNames.has(shown.entry.name),
    children: [],
    leftOut: 0,
  }))
}

const draw = (nodes: readonly Node[], leftOut: number, indent: string): readonly string[] => [
  ...nodes.flatMap((node) => [`${indent}${node.label}`, ...draw(node.children, node.leftOut, `${indent}  `)]),
  ...(leftOut > 0 ? [`${indent}… ${leftOut} more`] : []),
]

/** Returns a tree of names, upper levels first, with at most `maxEntries`. Directories that cannot be read are shown without entries. */
export const directoryTree = async (
  root: ConfinedPath,
  options: TreeOptions,
  signal?: AbortSignal,
): Promise<string> => {
  const top: Node = { path: root.real, label: "", opens: true, children: [], leftOut: 0 }
  const queue: Node[] = [top]
  let room = options.maxEntries
  for (let node = queue.shift(); node !== undefined; node = queue.shift()) {
    signal?.throwIfAborted()
    const listed = childNodes(node.path, root.real, options)
    const children = await (node === top ? listed : listed.catch(() => []))
    node.children = children.slice(0, room)
    node.leftOut = children.length - node.children.length
    room -= node.children.length
    queue.push(...node.children.filter((child) => child.opens))
  }
  return draw(top.children, top.leftOut, "").join("\n")
}
