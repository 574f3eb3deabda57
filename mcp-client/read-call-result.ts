import { isNestedTooDeep, maxJsonDepth, parseJson } from "../domain/text/json/parse-json.ts"
import { randomUUID } from "node:crypto"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client"
import { isMediaType, mediaTypeOf } from "../domain/media/media-type.ts"
import type { ToolMedia, ToolResult } from "../tools/tool.ts"

interface Binary {
  readonly type: string
  readonly data: string
  readonly mimeType: string | undefined
  readonly uri?: string
}

const extensions: Readonly<Record<string, string>> = {
  "image/png": ".png",
  "image/jpeg": ".jpg",
  "image/gif": ".gif",
  "image/webp": ".webp",
  "image/svg+xml": ".svg",
  "audio/wav": ".wav",
  "audio/mpeg": ".mp3",
  "audio/ogg": ".ogg",
  "application/pdf": ".pdf",
}

/** What a model gets of one block. */
interface BlockResult {
  readonly text: string
  readonly media?: ToolMedia
}

/** Content that is an image or a PDF, or that the server calls one. Of others, there is only a file. */
const mediaOf = (bytes: Uint8Array, { mimeType, uri }: Binary): Pick<BlockResult, "media"> =>
  mediaTypeOf(bytes) === undefined && !isMediaType(mimeType ?? "")
    ? {}
    : { media: { bytes, ...(uri === undefined ? {} : { name: uri }) } }

/** Writes binary content to a file, because base64 would fill the transcript. Returns a JSON text that names the file, and what a model can be shown. */
const spilled = async (binary: Binary, spillDir: string): Promise<BlockResult> => {
  const { type, data, mimeType, uri } = binary
  const bytes = Buffer.from(data, "base64")
  const file = join(spillDir, `mcp-${randomUUID()}${extensions[mimeType ?? ""] ?? ".bin"}`)
  await mkdir(spillDir, { recursive: true, mode: 0o700 })
  await writeFile(file, bytes, { flag: "wx", mode: 0o600 })
  return { text: JSON.stringify({ type, uri, mimeType, bytes: bytes.length, file }), ...mediaOf(bytes, binary) }
}

const blockResult = async (block: ContentBlock, spillDir: string): Promise<BlockResult> => {
  switch (block.type) {
    case "text":
      return { text: block.text }
    case "image":
    case "audio":
      return spilled(block, spillDir)
    case "resource": {
      const { resource } = block
      const { uri, mimeType } = resource
      return "text" in resource
        ? { text: JSON.stringify({ type: "resource", uri, mimeType, text: resource.text }) }
        : spilled({ type: "resource", data: resource.blob, mimeType, uri }, spillDir)
    }
    case "resource_link": {
      const { type, uri, name, description, mimeType } = block
      return { text: JSON.stringify({ type, uri, name, description, mimeType }) }
    }
    default:
      return { text: JSON.stringify(block) }
  }
}

const repeats = (block: ContentBlock, value: unknown): boolean => {
  if (block.type !== "text") return false
  try {
    return isDeepStrictEqual(parseJson(block.text), value)
  } catch {
    return false
  }
}

/**
 * Returns the result of an MCP tool as one text: text unchanged, other content as JSON, binary content in files below `spillDir`. Images and PDF files are
 * returned besides.
 */
export const readCallResult = async (
  result: CallToolResult,
  spillDir: string,
): Promise<Pick<ToolResult, "content" | "media">> => {
  const { content, structuredContent } = result
  if (isNestedTooDeep(structuredContent)) throw new Error(`the result nests deeper than ${maxJsonDepth} levels`)
  const blocks = await Promise.all(content.map((block) => blockResult(block, spillDir)))
  const texts = blocks.map(({ text }) => text)
  // Servers repeat structured content as text for clients that do not support it.
  if (structuredContent !== undefined && !content.some((block) => repeats(block, structuredContent)))
    texts.push(JSON.stringify(structuredContent))
  const media = blocks.flatMap((block) => (block.media === undefined ? [] : [block.media]))
  return { content: texts.join("\n\n"), ...(media.length === 0 ? {} : { media }) }
}
