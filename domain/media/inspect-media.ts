import type { MediaReference, MediaType } from "../../contracts/message.ts"
import { imageSize } from "./image-size.ts"
import { mediaLimits } from "./media-limits.ts"
import { mediaKindOf, mediaTypeNames, mediaTypeOf } from "./media-type.ts"
import { scanPdf } from "./scan-pdf.ts"

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

const trailerBytes = 2_048

const damaged = (type: MediaType): Inspection => ({
  problem: `it begins like a ${mediaTypeNames[type]}, but it is damaged or incomplete`,
})

const inspectPdf = (bytes: Uint8Array): Inspection => {
  const trailer = new TextDecoder("latin1").decode(bytes.subarray(-trailerBytes))
  if (!trailer.includes("%%EOF")) return damaged("application/pdf")
  const { isEncrypted, pages } = scanPdf(bytes)
  if (isEncrypted) return { problem: "the PDF is encrypted: decrypt it first" }
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
