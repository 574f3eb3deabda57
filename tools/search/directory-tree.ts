import type { Dirent } from "node:fs"
import { readdir, readlink } from "node:fs/promises"
import { join, matchesGlob, relative } from "node:path"
import type { ConfinedPath } from "../files/confined-path.ts"
import { openDirectory } from "../files/open-confined.ts"

export interface TreeOptions {
  /** Glob patterns for names and for paths relative to the root. */
  readonly ignore: readonly string[]
  /** Absolute paths that are not shown. */
  readonly hidden: readonly string[]
  readonly maxEntries: number
  readonly signal: AbortSignal
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

const labelOf = async (entry: Dirent, path: string): Promise<string> => {
  if (entry.isDirectory()) return closedNames.has(entry.name) ? `${entry.name}/ (not opened)` : `${entry.name}/`
  if (entry.isSymbolicLink()) return `${entry.name} -> ${await readlink(path).catch(() => "?")}`
  return entry.name
}

const byKindAndName = (left: Dirent, right: Dirent): number =>
  Number(right.isDirectory()) - Number(left.isDirectory()) || (left.name < right.name ? -1 : 1)

const entriesOf = async (directory: ConfinedPath): Promise<readonly Dirent[]> => {
  const handle = await openDirectory(directory)
  try {
    return await readdir(directory.real, { withFileTypes: true })
  } finally {
    await handle.close()
  }
}

const childrenOf = async (directory: string, root: string, options: TreeOptions): Promise<readonly Node[]> => {
  const entries = await entriesOf({ real: directory, shown: relative(root, directory) })
  const shown = entries
    .filter((entry) => {
      const path = join(directory, entry.name)
      return !options.hidden.includes(path) && !isIgnored(entry.name, relative(root, path), options.ignore)
    })
    .toSorted(byKindAndName)
  return Promise.all(
    shown.map(async (entry) => {
      const path = join(directory, entry.name)
      const opens = entry.isDirectory() && !closedNames.has(entry.name)
      return { path, label: await labelOf(entry, path), opens, children: [], leftOut: 0 }
    }),
  )
}

const draw = (nodes: readonly Node[], leftOut: number, indent: string): readonly string[] => [
  ...nodes.flatMap((node) => [`${indent}${node.label}`, ...draw(node.children, node.leftOut, `${indent}  `)]),
  ...(leftOut > 0 ? [`${indent}… ${leftOut} more`] : []),
]

/** Returns a tree of names, upper levels first, with at most `maxEntries`. Directories that cannot be read are shown without entries. */
export const directoryTree = async (root: ConfinedPath, options: TreeOptions): Promise<string> => {
  const top: Node = { path: root.real, label: "", opens: true, children: [], leftOut: 0 }
  const queue: Node[] = [top]
  let room = options.maxEntries
  for (let node = queue.shift(); node !== undefined; node = queue.shift()) {
    options.signal.throwIfAborted()
    const listed = childrenOf(node.path, root.real, options)
    const children = await (node === top ? listed : listed.catch(() => []))
    node.children = children.slice(0, room)
    node.leftOut = children.length - node.children.length
    room -= node.children.length
    queue.push(...node.children.filter((child) => child.opens))
  }
  return draw(top.children, top.leftOut, "").join("\n")
}
