import type { FileHandle } from "node:fs/promises"
import { bytesText, inspectMedia, sizeProblem } from "../../domain/media/inspect-media.ts"
import { mediaHeadBytes, mediaTypeNames, mediaTypeOf } from "../../domain/media/media-type.ts"
import { readUpTo } from "../../domain/workspace/read-up-to.ts"
import { ToolFailure } from "../tool-failure.ts"
import type { ToolMedia } from "../tool.ts"

/** Returns an image or a PDF; undefined if the file is something else. @throws ToolFailure if a model cannot be shown it */
export const readMediaFile = async (handle: FileHandle, shown: string): Promise<ToolMedia | undefined> => {
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
