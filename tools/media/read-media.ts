import type { FileHandle } from "node:fs/promises"
import { bytesText, inspectMedia, sizeProblem } from "../../domain/media/inspect-media.ts"
import { mediaHeadBytes, mediaTypeNames, mediaTypeOf } from "../../domain/media/media-type.ts"
import { ToolFailure } from "../tool-failure.ts"
import type { ToolMedia } from "../tool.ts"

/** Reads at most a number of bytes: a file can grow meanwhile. */
const readUpTo = async (handle: FileHandle, most: number): Promise<Uint8Array> => {
  const bytes = new Uint8Array(most)
  let length = 0
  while (length < most) {
    const { bytesRead } = await handle.read(bytes, length, most - length, length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return bytes.subarray(0, length)
}

/** Returns an image or a PDF; undefined if the file is something else. @throws ToolFailure if a model cannot be shown it */
export const readMedia = async (handle: FileHandle, shown: string): Promise<ToolMedia | undefined> => {
  const type = mediaTypeOf(await readUpTo(handle, mediaHeadBytes))
  if (type === undefined) return undefined
  const { size } = await handle.stat()
  const tooLarge = sizeProblem(type, size)
  if (tooLarge !== undefined) throw new ToolFailure(`${shown} cannot be shown: ${tooLarge}`)
  const bytes = await readUpTo(handle, size)
  const inspected = inspectMedia(bytes)
  if ("problem" in inspected)
    throw new ToolFailure(
      `${shown} (${mediaTypeNames[type]}, ${bytesText(size)}) cannot be shown: ${inspected.problem}`,
    )
  return { bytes, facts: inspected.facts, name: shown }
}
