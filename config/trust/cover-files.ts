import { createHash } from "node:crypto"
import { constants } from "node:fs"
import { open } from "node:fs/promises"
import { isAbsolute, relative, resolve } from "node:path"
import { isRecord } from "../../domain/text/is-record.ts"
import { isInside } from "../../domain/workspace/is-inside.ts"
import { possiblePaths } from "../../domain/workspace/possible-paths.ts"
import { systemCode } from "../../domain/text/error-message.ts"
import type { Danger } from "./list-dangers.ts"
import type { DangerKind } from "./trust-rule.ts"

/** Hashes of files, by path relative to the project root. */
export type CoveredFiles = Readonly<Record<string, string>>

export const hashOf = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex")

const pieceBytes = 64 * 1024

const textsIn = (value: unknown): readonly string[] => {
  if (typeof value === "string") return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return isRecord(value) ? Object.values(value).flatMap(textsIn) : []
}

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

/**
 * Returns the hashes of the files that keys which run programs name: programs and scripts of the project, and what lies at a relative path
 * outside it. Programs of the system and logs are not among them.
 */
export const coverFiles = async (dangers: readonly Danger[], projectRoot: string): Promise<CoveredFiles> => {
  const programs = dangers.filter(({ kind }) => runsSomething.has(kind))
  const folders = new Set([projectRoot])
  for (const { path, value } of programs)
    if (path.at(-1) === "cwd" && typeof value === "string") folders.add(resolve(projectRoot, value))
  const named = new Set(programs.flatMap(({ value }) => textsIn(value)).flatMap(possiblePaths))
  const covered: Record<string, string> = {}
  for (const name of named)
    for (const folder of folders) {
      if (written.test(name)) continue
      const path = resolve(folder, name)
      if (isAbsolute(name) && !isInside(projectRoot, path)) continue
      const hash = await hashFile(path)
      if (hash !== undefined) covered[relative(projectRoot, path)] = hash
    }
  return Object.fromEntries(Object.entries(covered).toSorted(([left], [right]) => (left < right ? -1 : 1)))
}
