import { headlineKeys } from "./headline-keys.ts"
import { startOf } from "./foreign/well-formed.ts"

/** Returns the first 256 characters of an answer or a result, for events and the engine's history. */
export const previewOf = (text: string): string => startOf(text, 256)

/** Returns the first 200 characters of a call's arguments, for the engine's UI. */
export const callPreview = (args: string): string => startOf(args, 200)

/** Returns the text that follows a key of a JSON text, which can end inside of it. */
const textAfter = (json: string, key: string): string | undefined => {
  const found = new RegExp(`[{,]"${key}":"((?:[^"\\\\]|\\\\.)*)`).exec(json)?.[1]
  if (found === undefined) return undefined
  try {
    const text: unknown = JSON.parse(`"${found}"`)
    return typeof text === "string" ? text : undefined
  } catch {
    return undefined
  }
}

/** Returns what a call is about, from the beginning of its arguments: its file, its command; the beginning itself if no argument says so. */
export const aboutOf = (preview: string): string => {
  for (const key of headlineKeys) {
    const text = textAfter(preview, key)
    if (text !== undefined && text !== "") return text
  }
  return preview
}
