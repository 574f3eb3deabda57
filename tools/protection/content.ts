import { createHash } from "node:crypto"
import { constants } from "node:fs"
import { lstat, open } from "node:fs/promises"
import { dirname } from "node:path"
import { z } from "zod"
import { diskPath } from "../disk/disk-path.ts"
import { readLink, realPath } from "../disk/list-directory.ts"
import { systemCode } from "../../domain/text/error-message.ts"

/** What is at a path. Two files are the same if their contents are; inodes and times prove nothing. */
export const contentSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("file"), hash: z.string(), mode: z.number() }),
  z.object({ type: z.literal("link"), target: z.string() }),
  z.object({ type: z.literal("directory") }),
  /** A pipe, socket or device. */
  z.object({ type: z.literal("other") }),
  z.object({ type: z.literal("unreadable") }),
  z.object({ type: z.literal("absent") }),
])
export type Content = z.infer<typeof contentSchema>

/** Receives the bytes of the files that are small enough to be stored. */
export type KeepBytes = (hash: string, bytes: Uint8Array) => void

/** Larger files are compared, but cannot be restored. */
export const maxKeptBytes = 8 * 1024 * 1024
const pieceBytes = 256 * 1024

export const hashOfBytes = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

const readContent = async (path: string, keep?: KeepBytes): Promise<Content> => {
  await using file = await open(diskPath(path), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  const { mode } = await file.stat()
  const hash = createHash("sha256")
  const pieces: Uint8Array[] = []
  let length = 0
  for (;;) {
    const piece = Buffer.alloc(pieceBytes)
    const { bytesRead } = await file.read(piece)
    if (bytesRead === 0) break
    hash.update(piece.subarray(0, bytesRead))
    length += bytesRead
    if (keep !== undefined && length <= maxKeptBytes) pieces.push(piece.subarray(0, bytesRead))
  }
  const digest = hash.digest("hex")
  if (length <= maxKeptBytes) keep?.(digest, Buffer.concat(pieces))
  return { type: "file", hash: digest, mode: mode & 0o7777 }
}

const missing: ReadonlySet<string | undefined> = new Set(["ENOENT", "ENOTDIR"])

const read = async (path: string, readFile: (path: string) => Promise<Content>): Promise<Content> => {
  try {
    const parent = dirname(path)
    if ((await realPath(parent)) !== parent) return { type: "absent" }
    const found = await lstat(diskPath(path))
    if (found.isDirectory()) return { type: "directory" }
    if (found.isSymbolicLink()) return { type: "link", target: await readLink(path) }
    return found.isFile() ? await readFile(path) : { type: "other" }
  } catch (error) {
    return { type: missing.has(systemCode(error)) ? "absent" : "unreadable" }
  }
}

/** Returns what is at a path. A path whose directory is reached through a link has no content of its own. */
export const contentAt = (path: string, keep?: KeepBytes): Promise<Content> =>
  read(path, (file) => readContent(file, keep))

/** Returns the same without the content of files. */
export const typeAt = (path: string): Promise<Content> => read(path, async () => ({ type: "file", hash: "", mode: 0 }))

/** S_ISUID and S_ISGID. */
export const setId = 0o6000
const executable = 0o111

/** Returns whether two contents have the same effect: the rest of a mode has none. */
export const isSameContent = (left: Content, right: Content): boolean => {
  if (left.type === "file" && right.type === "file")
    return (
      left.hash === right.hash &&
      (left.mode & setId) === (right.mode & setId) &&
      (left.mode & executable) > 0 === (right.mode & executable) > 0
    )
  if (left.type === "link" && right.type === "link") return left.target === right.target
  return left.type === right.type && left.type !== "unreadable"
}
