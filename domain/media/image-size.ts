import { hasBytesAt } from "./media-type.ts"

/** The size of an image in pixels. */
export interface ImageSize {
  readonly width: number
  readonly height: number
}

type ImageReader = (bytes: Uint8Array, view: DataView) => ImageSize | undefined

/** Several times as many as a file within the limits has, unless it was made to take long. */
const maxPngChunks = 10_000

/** Walks over the chunks of a PNG: a file that was cut off has no end chunk. */
const pngSize: ImageReader = (bytes, view) => {
  if (!hasBytesAt(bytes, 12, "IHDR")) return undefined
  let hasData = false
  let at = 8
  for (let chunks = 0; chunks < maxPngChunks && at + 12 <= bytes.length; chunks += 1) {
    hasData ||= hasBytesAt(bytes, at + 4, "IDAT")
    if (hasBytesAt(bytes, at + 4, "IEND"))
      return hasData ? { width: view.getUint32(16), height: view.getUint32(20) } : undefined
    at += 12 + view.getUint32(at)
  }
  return undefined
}

const isFrameHeader = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

const hasEndMarker = (bytes: Uint8Array, from: number): boolean => {
  for (let at = bytes.length - 2; at >= from; at -= 1) if (bytes[at] === 0xff && bytes[at + 1] === 0xd9) return true
  return false
}

/** Walks over the segments of a JPEG up to its first scan. */
const jpegSize: ImageReader = (bytes, view) => {
  let size: ImageSize | undefined
  for (let at = 2; at + 4 <= bytes.length; at += 2 + view.getUint16(at + 2)) {
    // Any number of bytes can fill the space before a marker.
    while (bytes[at] === 0xff && bytes[at + 1] === 0xff && at + 4 < bytes.length) at += 1
    const marker = bytes[at + 1]
    if (bytes[at] !== 0xff || marker === undefined) return undefined
    if (marker === 0xda) return hasEndMarker(bytes, at) ? size : undefined
    if (isFrameHeader(marker) && at + 9 <= bytes.length)
      size = { height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
  }
  return undefined
}

const colorTableBytes = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1))

/** Returns the place after a row of sub-blocks. */
const afterBlocks = (bytes: Uint8Array, from: number): number => {
  let at = from
  for (let length = bytes[at] ?? 0; length > 0; length = bytes[at] ?? 0) at += length + 1
  return at + 1
}

/** Walks over the blocks of a GIF up to its end mark. */
const gifSize: ImageReader = (bytes, view) => {
  if (bytes.length < 13) return undefined
  let at = 13 + colorTableBytes(bytes[10] ?? 0)
  let hasImage = false
  while (at < bytes.length) {
    const block = bytes[at]
    if (block === 0x3b)
      return hasImage ? { width: view.getUint16(6, true), height: view.getUint16(8, true) } : undefined
    if (block === 0x21) at = afterBlocks(bytes, at + 2)
    else if (block === 0x2c) at = afterBlocks(bytes, at + 11 + colorTableBytes(bytes[at + 9] ?? 0))
    else return undefined
    hasImage ||= block === 0x2c
  }
  return undefined
}

const threeBytes = (view: DataView, at: number): number => view.getUint16(at, true) + view.getUint8(at + 2) * 0x1_00_00

const webpSize: ImageReader = (bytes, view) => {
  if (bytes.length < 30 || !hasBytesAt(bytes, 0, "RIFF") || view.getUint32(4, true) + 8 > bytes.length) return undefined
  if (hasBytesAt(bytes, 12, "VP8X")) return { width: threeBytes(view, 24) + 1, height: threeBytes(view, 27) + 1 }
  if (hasBytesAt(bytes, 12, "VP8L") && bytes[20] === 0x2f) {
    const bits = view.getUint32(21, true)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  if (hasBytesAt(bytes, 12, "VP8 ") && hasBytesAt(bytes, 23, "\x9d\x01\x2a"))
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
  return undefined
}

const readers = { "image/png": pngSize, "image/jpeg": jpegSize, "image/gif": gifSize, "image/webp": webpSize } as const

/** Returns the size of an image; undefined if it is damaged or incomplete. Nothing is decoded. */
export const imageSize = (bytes: Uint8Array, type: keyof typeof readers): ImageSize | undefined => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const size = readers[type](bytes, view)
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined
}
