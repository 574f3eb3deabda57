import { createHash } from "node:crypto"
import { type ConfinedPath, openFile } from "../disk/open-confined.ts"
import { systemCode } from "../../domain/text/error-message.ts"

/** The content of a file at one moment. */
export interface FileState {
  readonly size: number
  /** In hexadecimal. */
  readonly sha256: string
  /** Without the byte order mark; undefined if the file is too large for a diff, or no UTF-8 text. */
  readonly text: string | undefined
}

/** The largest file that is compared line by line. */
export const maxComparedBytes = 2 * 1024 * 1024

const decode = (bytes: Buffer): string | undefined => {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
    return text.includes("\0") ? undefined : text
  } catch {
    return undefined
  }
}

/** Reads a file for a preview; undefined if it does not exist. @throws ToolFailure if the path is not a regular file */
export const readFileState = async (path: ConfinedPath): Promise<FileState | undefined> => {
  const handle = await openFile(path).catch((error: unknown) => {
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return undefined
    throw error
  })
  if (handle === undefined) return undefined
  try {
    const hash = createHash("sha256")
    const kept: Buffer[] = []
    let size = 0
    const stream: AsyncIterable<Buffer> = handle.createReadStream({ autoClose: false })
    for await (const chunk of stream) {
      hash.update(chunk)
      size += chunk.length
      if (size <= maxComparedBytes) kept.push(chunk)
    }
    const decoded = size <= maxComparedBytes ? decode(Buffer.concat(kept)) : undefined
    const text = decoded?.startsWith("\uFEFF") === true ? decoded.slice(1) : decoded
    return { size, sha256: hash.digest("hex"), text }
  } finally {
    await handle.close()
  }
}
