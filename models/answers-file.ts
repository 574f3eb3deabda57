import { constants } from "node:fs"
import { open } from "node:fs/promises"
import { readUpTo } from "../domain/workspace/read-up-to.ts"

/** The file of a model that repeats written answers: a project names it, and may name anything. */
export type AnswersFile<Content> =
  | { readonly kind: "content"; readonly content: Content }
  | { readonly kind: "refused"; readonly problem: string; readonly cause?: unknown }

/**
 * Creates a reader of such files that parses each version of a file once. It reads regular files only, and of each at most `maxBytes`, also while the file
 * grows: a device would never end, and a pipe would never answer.
 */
export const createAnswersReader = <Content>(
  maxBytes: number,
  parse: (text: string, path: string) => Content,
): ((path: string) => Promise<AnswersFile<Content>>) => {
  const parsed = new Map<string, { readonly version: string; readonly content: Content }>()
  const tooLong = { kind: "refused", problem: `it has more than ${maxBytes} bytes` } as const

  return async (path) => {
    let version: string
    let bytes: Buffer
    try {
      await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
      const found = await file.stat()
      if (!found.isFile()) return { kind: "refused", problem: "it is not a file with text" }
      if (found.size > maxBytes) return tooLong
      version = `${found.ino} ${found.mtimeMs} ${found.size}`
      const known = parsed.get(path)
      if (known?.version === version) return { kind: "content", content: known.content }
      bytes = Buffer.from(await readUpTo(file, found.size))
    } catch (cause) {
      return { kind: "refused", problem: "it cannot be read", cause }
    }
    const content = parse(bytes.toString("utf8"), path)
    parsed.set(path, { version, content })
    return { kind: "content", content }
  }
}
