import { isNestedTooDeep, maxJsonDepth, parseJson } from "../domain/text/parse-json.ts"
import { randomUUID } from "node:crypto"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client"

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

/** Writes binary content to a file: a model cannot read base64, and it would fill the transcript. Returns a JSON text that names the file. */
const spilled = async ({ type, data, mimeType, uri }: Binary, spillDir: string): Promise<string> => {
  const bytes = Buffer.from(data, "base64")
  const file = join(spillDir, `mcp-${randomUUID()}${extensions[mimeType ?? ""] ?? ".bin"}`)
  await mkdir(spillDir, { recursive: true, mode: 0o700 })
  await writeFile(file, bytes, { flag: "wx", mode: 0o600 })
  return JSON.stringify({ type, uri, mimeType, bytes: bytes.length, file })
}

const blockText = async (block: ContentBlock, spillDir: string): Promise<string> => {
  switch (block.type) {
    case "text":
      return block.text
    case "image":
    case "audio":
      return spilled(block, spillDir)
    case "resource": {
      const { resource } = block
      const { uri, mimeType } = resource
      return "text" in resource
        ? JSON.stringify({ type: "resource", uri, mimeType, text: resource.text })
        : spilled({ type: "resource", data: resource.blob, mimeType, uri }, spillDir)
    }
    case "resource_link": {
      const { type, uri, name, description, mimeType } = block
      return JSON.stringify({ type, uri, name, description, mimeType })
    }
    default:
      return JSON.stringify(block)
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

/** Returns the result of an MCP tool as one text: text unchanged, other content as JSON, binary content in files below `spillDir`. */
export const resultText = async (result: CallToolResult, spillDir: string): Promise<string> => {
  const { content, structuredContent } = result
  if (isNestedTooDeep(structuredContent)) throw new Error(`the result nests deeper than ${maxJsonDepth} levels`)
  const texts = await Promise.all(content.map((block) => blockText(block, spillDir)))
  // Servers repeat structured content as text for clients that do not support it.
  if (structuredContent !== undefined && !content.some((block) => repeats(block, structuredContent)))
    texts.push(JSON.stringify(structuredContent))
  return texts.join("\n\n")
}
