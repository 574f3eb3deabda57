import type { MediaReference, MediaType } from "../../contracts/message.ts"
import { imageSize } from "./image-size.ts"
import { mediaLimits } from "./media-limits.ts"
import { mediaKindOf, mediaTypeNames, mediaTypeOf } from "./media-type.ts"

/** What the bytes of an image or a PDF say about it. */
export type MediaFacts = Pick<MediaReference, "media_type" | "bytes" | "width" | "height" | "pages">

/** Content that can be shown to models, or why it cannot. */
export type Inspection = { readonly facts: MediaFacts } | { readonly problem: string }

const inTenths = (value: number): string => (Math.ceil(value * 10) / 10).toFixed(1)

/** Returns a number of bytes as `950 bytes`, `34.2 kB` or `3.9 MB`, rounded up. */
export const bytesText = (bytes: number): string => {
  if (bytes < 1_000) return `${bytes} bytes`
  return bytes <= 999_900 ? `${inTenths(bytes / 1_000)} kB` : `${inTenths(bytes / 1_000_000)} MB`
}

/** Returns why content of this size cannot be shown; undefined if it can. */
export const sizeProblem = (type: MediaType, bytes: number): string | undefined => {
  const most = mediaKindOf(type) === "pdf" ? mediaLimits.pdfBytes : mediaLimits.imageBytes
  if (bytes <= most) return undefined
  const way = mediaKindOf(type) === "pdf" ? "extract the pages that you need first" : "make it smaller first"
  return `the ${mediaTypeNames[type]} has ${bytesText(bytes)}, and at most ${bytesText(most)} can be shown: ${way}`
}

const trailerCharacters = 2_048

const largest = (text: string, pattern: RegExp): number =>
  [...text.matchAll(pattern)].reduce((most, [, digits]) => Math.max(most, Number(digits)), 0)

/** Returns the number of pages, from the first place that has it uncompressed: the linearisation, the page tree, the pages themselves. */
const pagesOf = (text: string): number | undefined => {
  const linearised = /\/Linearized\b[^>]{0,400}\/N\s+(\d{1,7})\b/.exec(text)?.[1]
  if (linearised !== undefined) return Number(linearised)
  const counted = Math.max(
    largest(text, /\/Type\s*\/Pages\b[^>]{0,2000}?\/Count\s+(\d{1,7})\b/g),
    largest(text, /\/Count\s+(\d{1,7})\b[^>]{0,2000}?\/Type\s*\/Pages\b/g),
  )
  const pages = counted > 0 ? counted : [...text.matchAll(/\/Type\s*\/Page\b(?!s)/g)].length
  return pages > 0 ? pages : undefined
}

const damaged = (type: MediaType): Inspection => ({
  problem: `it begins like a ${mediaTypeNames[type]}, but it is damaged or incomplete`,
})

const inspectPdf = (bytes: Uint8Array): Inspection => {
  const text = new TextDecoder("latin1").decode(bytes)
  if (!text.slice(-trailerCharacters).includes("%%EOF")) return damaged("application/pdf")
  if (/\/Encrypt\s+\d+\s+\d+\s+R\b/.test(text)) return { problem: "the PDF is encrypted: decrypt it first" }
  const pages = pagesOf(text)
  if (pages !== undefined && pages > mediaLimits.pdfPages)
    return {
      problem: `the PDF has ${pages} pages, and at most ${mediaLimits.pdfPages} can be shown: extract the pages that you need first`,
    }
  return {
    facts: { media_type: "application/pdf", bytes: bytes.length, ...(pages === undefined ? {} : { pages }) },
  }
}

/**
 * Returns what an image or a PDF is, by its bytes, or why it cannot be shown to a model. A provider refuses a damaged one together with the whole
 * conversation, at every later call, too.
 */
export const inspectMedia = (bytes: Uint8Array): Inspection => {
  const type = mediaTypeOf(bytes)
  if (type === undefined) return { problem: "it is not a PNG, JPEG, GIF or WebP image or a PDF" }
  const problem = sizeProblem(type, bytes.length)
  if (problem !== undefined) return { problem }
  if (type === "application/pdf") return inspectPdf(bytes)
  const size = imageSize(bytes, type)
  if (size === undefined) return damaged(type)
  const most = mediaLimits.imageSide
  return Math.max(size.width, size.height) > most
    ? {
        problem: `the ${mediaTypeNames[type]} has ${size.width}x${size.height} pixels, and at most ${most}x${most} can be shown: make it smaller first`,
      }
    : { facts: { media_type: type, bytes: bytes.length, ...size } }
}

/** Returns what content is, as in `PNG image, 800x600 pixels, 34.2 kB`. */
export const mediaText = ({ media_type, bytes, width, height, pages }: MediaFacts): string =>
  [
    mediaTypeNames[media_type],
    ...(width === undefined || height === undefined ? [] : [`${width}x${height} pixels`]),
    ...(pages === undefined ? [] : [pages === 1 ? "1 page" : `${pages} pages`]),
    bytesText(bytes),
  ].join(", ")
