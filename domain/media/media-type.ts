import type { MediaType } from "../../contracts/message.ts"

/** How many bytes of a file `mediaTypeOf` needs. */
export const mediaHeadBytes = 16

export const mediaTypeNames: Readonly<Record<MediaType, string>> = {
  "image/png": "PNG image",
  "image/jpeg": "JPEG image",
  "image/gif": "GIF image",
  "image/webp": "WebP image",
  "application/pdf": "PDF",
}

export const mediaKindOf = (type: MediaType): "image" | "pdf" => (type === "application/pdf" ? "pdf" : "image")

/** Returns whether a declared type is one that models can be given. */
export const isMediaType = (type: string): type is MediaType => Object.hasOwn(mediaTypeNames, type)

const signatures: readonly { readonly type: MediaType; readonly at: number; readonly bytes: string }[] = [
  { type: "image/png", at: 0, bytes: "\x89PNG\r\n\x1a\n" },
  { type: "image/jpeg", at: 0, bytes: "\xff\xd8\xff" },
  { type: "image/gif", at: 0, bytes: "GIF87a" },
  { type: "image/gif", at: 0, bytes: "GIF89a" },
  { type: "image/webp", at: 8, bytes: "WEBPVP8" },
  { type: "application/pdf", at: 0, bytes: "%PDF-" },
]

/** Returns whether bytes at a place are those of a text in which each character is one byte. */
export const hasBytesAt = (bytes: Uint8Array, at: number, text: string): boolean => {
  for (let index = 0; index < text.length; index += 1) if (bytes[at + index] !== text.charCodeAt(index)) return false
  return true
}

/** Returns the type of content by its first bytes. Names and declared types do not count; SVG, which is a text, is never an image. */
export const mediaTypeOf = (head: Uint8Array): MediaType | undefined =>
  signatures.find(({ at, bytes }) => hasBytesAt(head, at, bytes))?.type
