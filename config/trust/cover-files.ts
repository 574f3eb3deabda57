import { createHash } from "node:crypto"
import { constants } from "node:fs"
import { open, readFile } from "node:fs/promises"
import { homedir } from "node:os"
import { isAbsolute, join, relative, resolve } from "node:path"
import { textsIn } from "../../domain/text/foreign/texts-in.ts"
import { isRecord } from "../../domain/text/is-record.ts"
import { isInside } from "../../domain/workspace/is-inside.ts"
import { interpretedPaths, scriptsOf } from "../../domain/workspace/interpreted-paths.ts"
import { shellPaths } from "../../domain/workspace/possible-paths.ts"
import { systemCode } from "../../domain/text/error-message.ts"
import { parseJson } from "../../domain/text/json/parse-json.ts"
import type { Danger } from "./list-dangers.ts"
import type { DangerKind } from "./trust-rule.ts"

/** Hashes of files, by path relative to the project root. */
export type CoveredFiles = Readonly<Record<string, string>>

export const contentHash = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex")

const pieceBytes = 64 * 1024

/** Returns the hash of a regular file; undefined if there is none. What is there and cannot be read is not the same as nothing. */
export const hashFile = async (path: string): Promise<string | undefined> => {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    if (!(await file.stat()).isFile()) return undefined
    const hash = createHash("sha256")
    const buffer = Buffer.alloc(pieceBytes)
    for (;;) {
      const { bytesRead } = await file.read(buffer)
      if (bytesRead === 0) return hash.digest("hex")
      hash.update(buffer.subarray(0, bytesRead))
    }
  } catch (error) {
    const code = systemCode(error)
    return code === "ENOENT" || code === "ENOTDIR" || code === "ENAMETOOLONG" ? undefined : "unreadable"
  }
}

/** What programs write while they work: it changes without anybody having changed what runs. */
const written = /\.(log|jsonl|ndjson|out|tmp|pid|db|sqlite)$/i

const runsSomething: ReadonlySet<DangerKind> = new Set(["program", "commands", "unclassified"])

/** Returns the scripts that interpreters may run: the arguments of each program, which are next to its command. */
const scriptsIn = (programs: readonly Danger[]): readonly string[] =>
  programs.flatMap(({ path, value }) => {
    const args = programs.find((each) => isArgumentsOf(each.path, path))?.value
    return path.at(-1) === "command" && typeof value === "string"
      ? scriptsOf({ command: value, args: textsIn(args) }, homedir())
      : []
  })

const isArgumentsOf = (path: Danger["path"], command: Danger["path"]): boolean =>
  path.length === command.length &&
  path.at(-1) === "args" &&
  path.slice(0, -1).every((key, index) => key === command[index])

const maxManifestBytes = 1024 * 1024

/** Returns what Node runs of a folder whose `package.json` names it. */
const mainOf = async (folder: string): Promise<readonly string[]> => {
  const path = join(folder, "package.json")
  if ((await hashFile(path)) === undefined) return []
  const text = await readFile(path, "utf8").catch(() => "")
  if (text.length > maxManifestBytes) return []
  try {
    const manifest = parseJson(text)
    const main = isRecord(manifest) ? manifest["main"] : undefined
    return typeof main === "string" ? interpretedPaths(resolve(folder, main)) : []
  } catch {
    return []
  }
}

/**
 * Returns the hashes of the files that keys which run programs name: programs and scripts of the project, and what lies at a relative path
 * outside it. A script counts in each form in which an interpreter finds it. Programs of the system and logs are not among them.
 */
export const coverFiles = async (dangers: readonly Danger[], projectRoot: string): Promise<CoveredFiles> => {
  const programs = dangers.filter(({ kind }) => runsSomething.has(kind))
  const folders = new Set([projectRoot])
  for (const { path, value } of programs)
    if (path.at(-1) === "cwd" && typeof value === "string") folders.add(resolve(projectRoot, value))
  const texts = programs.flatMap(({ value }) => textsIn(value)).flatMap((text) => shellPaths(text, homedir()))
  const scripts = scriptsIn(programs)
  const named = new Set([...texts.filter((name) => !written.test(name)), ...scripts.flatMap(interpretedPaths)])
  const covered: Record<string, string> = {}
  const cover = async (path: string): Promise<void> => {
    const hash = await hashFile(path)
    if (hash !== undefined) covered[relative(projectRoot, path)] = hash
  }
  for (const folder of folders) {
    for (const name of named)
      if (!isAbsolute(name) || isInside(projectRoot, resolve(folder, name))) await cover(resolve(folder, name))
    for (const script of scripts) for (const path of await mainOf(resolve(folder, script))) await cover(path)
  }
  return Object.fromEntries(Object.entries(covered).toSorted(([left], [right]) => (left < right ? -1 : 1)))
}
