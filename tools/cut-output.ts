import { randomUUID } from "node:crypto"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"

/** Maximum number of characters of a result in the transcript. */
export const outputLimits = { bashCharacters: 30_000, otherCharacters: 50_000 } as const

/** Returns the line that replaces what was left out. `file` contains the complete output and can be read with Read. */
export const leftOutNotice = (count: number, unit: "bytes" | "characters", file: string): string =>
  `\n\n[… ${count.toLocaleString("en-US")} ${unit} left out here. The whole output is in ${file}: use Read with offset and limit. …]\n\n`

const withoutHalfPairs = (text: string): string => text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, "")

export interface CutOptions {
  readonly spillDir: string
  /** First part of the name of the file with the complete output. */
  readonly name: string
  readonly maxCharacters?: number
}

/** Shortens a result. If it is too long, its middle is left out, and the complete result is written to a file that Read can read. */
export const cutOutput = async (text: string, options: CutOptions): Promise<string> => {
  const max = options.maxCharacters ?? outputLimits.otherCharacters
  if (text.length <= max) return text
  await mkdir(options.spillDir, { recursive: true, mode: 0o700 })
  const file = join(options.spillDir, `${options.name}-${randomUUID()}.txt`)
  await writeFile(file, text, { flag: "wx", mode: 0o600 })
  const head = withoutHalfPairs(text.slice(0, Math.ceil(max / 2)))
  const tail = withoutHalfPairs(text.slice(text.length - Math.floor(max / 2)))
  return head + leftOutNotice(text.length - head.length - tail.length, "characters", file) + tail
}
