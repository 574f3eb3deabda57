import { closeSync, constants, mkdirSync, openSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import { leftOutNotice } from "../../cut-output.ts"

export interface RecordedOutput {
  readonly output: string
  readonly outputBytes: number
  readonly truncated: boolean
}

/** Keeps the start and the end of a process's output in memory. If the output is longer, stores all of it in a file. */
export interface OutputRecorder {
  write(chunk: Buffer): void
  /** Returns the output so far. */
  recorded(): RecordedOutput
  /** Adds a last line to the file, if it exists, and closes it. */
  close(lastLine: string): void
}

export interface RecorderOptions {
  readonly file: string
  readonly maxBytes: number
  readonly maxFileBytes: number
  /** Whether the file exists from the start, so that it can be followed. */
  readonly keepFile: boolean
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

/** Returns the length without a multi-byte character that the cut at `end` splits. */
const wholeCharactersEnd = (bytes: Buffer, end: number): number => {
  let cut = end
  while (cut > 0 && end - cut < 4 && isContinuation(bytes[cut])) cut -= 1
  return cut
}

const wholeCharactersStart = (bytes: Buffer): number => {
  let start = 0
  while (start < 4 && isContinuation(bytes[start])) start += 1
  return start
}

const openOutputFile = (file: string): number => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  return openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW, 0o600)
}

export const createOutputRecorder = (options: RecorderOptions): OutputRecorder => {
  const headBytes = Math.ceil(options.maxBytes / 2)
  let head = Buffer.alloc(0)
  let tail = Buffer.alloc(0)
  let total = 0
  let fileBytes = 0
  let descriptor = options.keepFile ? openOutputFile(options.file) : undefined

  const toFile = (chunk: Buffer): void => {
    const room = options.maxFileBytes - fileBytes
    if (descriptor === undefined || room <= 0) return
    writeSync(descriptor, chunk.subarray(0, room))
    fileBytes += chunk.length
    if (chunk.length > room) writeSync(descriptor, `\n[the file ends here: more than ${options.maxFileBytes} bytes]\n`)
  }

  const remember = (chunk: Buffer): void => {
    const forHead = chunk.subarray(0, Math.max(0, headBytes - head.length))
    if (forHead.length > 0) head = Buffer.concat([head, forHead])
    const rest = chunk.subarray(forHead.length)
    if (rest.length > 0) tail = Buffer.concat([tail, rest]).subarray(-Math.max(1, options.maxBytes - headBytes))
  }

  return {
    write(chunk) {
      total += chunk.length
      if (descriptor === undefined && total > options.maxBytes) {
        descriptor = openOutputFile(options.file)
        toFile(head)
        toFile(tail)
      }
      toFile(chunk)
      remember(chunk)
    },
    recorded() {
      const whole = { outputBytes: total, truncated: false }
      if (total <= options.maxBytes) return { ...whole, output: Buffer.concat([head, tail]).toString("utf8") }
      const first = head.subarray(0, wholeCharactersEnd(Buffer.concat([head, Buffer.from([0x80])]), head.length))
      const last = tail.subarray(wholeCharactersStart(tail))
      const notice = leftOutNotice(total - first.length - last.length, "bytes", options.file)
      return { outputBytes: total, truncated: true, output: first.toString("utf8") + notice + last.toString("utf8") }
    },
    close(lastLine) {
      if (descriptor === undefined) return
      writeSync(descriptor, lastLine)
      closeSync(descriptor)
      descriptor = undefined
    },
  }
}
