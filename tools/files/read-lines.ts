import type { FileHandle } from "node:fs/promises"
import { ToolFailure } from "../tool-failure.ts"
import { type CollectedLines, createLineCollector, type LineRange } from "./line-collector.ts"

/** Lines of a file. `readBytes` is set if the rest of the file was not read because the file is longer than that. */
export interface ReadLines extends CollectedLines {
  readonly readBytes?: number
}

const sampleBytes = 8_192
const chunkBytes = 65_536

/** The part of a file that is read at most. Files that are mostly holes can be far larger than a disk. */
export const maxReadBytes = 512 * 1024 * 1024

const isWideText = (sample: Buffer): boolean =>
  (sample[0] === 0xff && sample[1] === 0xfe) || (sample[0] === 0xfe && sample[1] === 0xff)

/** Throws a `ToolFailure` if the first bytes are not those of a text. */
const refuseBinary = async (handle: FileHandle, shown: string): Promise<void> => {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(sampleBytes), 0, sampleBytes, 0)
  const sample = buffer.subarray(0, bytesRead)
  if (isWideText(sample)) {
    throw new ToolFailure(
      `${shown} is UTF-16 text; convert it first, for example in Bash with iconv -f UTF-16 -t UTF-8`,
    )
  }
  if (sample.includes(0)) {
    throw new ToolFailure(
      `${shown} is a binary file, and Read shows only text; use Bash with a program that supports its format`,
    )
  }
}

/**
 * Reads a range of lines in constant memory: lines are cut while they are read, whatever their length. A byte order mark and carriage
 * returns at line ends are left out.
 */
export const readLines = async (
  handle: FileHandle,
  shown: string,
  range: LineRange & { readonly signal: AbortSignal; readonly maxBytes?: number },
): Promise<ReadLines> => {
  await refuseBinary(handle, shown)
  const collector = createLineCollector(range)
  const decoder = new TextDecoder("utf-8")
  const chunk = Buffer.alloc(chunkBytes)
  const maxBytes = range.maxBytes ?? maxReadBytes
  for (let position = 0; ;) {
    range.signal.throwIfAborted()
    if (position >= maxBytes) return { ...collector.end(), more: true, readBytes: position }
    const { bytesRead } = await handle.read(chunk, 0, Math.min(chunkBytes, maxBytes - position), position)
    position += bytesRead
    const text = decoder.decode(chunk.subarray(0, bytesRead), { stream: bytesRead > 0 })
    if (collector.add(text)) return collector.page()
    if (bytesRead === 0) return collector.end()
  }
}
