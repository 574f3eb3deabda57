import { describe, expect, it } from "vitest"
import { inspectMedia, mediaText } from "../../../../domain/media/inspect-media.ts"
import { mediaLimits } from "../../../../domain/media/media-limits.ts"
import { createGif, createJpeg, createPdf, createPng, createWebp } from "../../../helpers/media-files.ts"

const files = [
  ["image/png", createPng(80, 60)],
  ["image/jpeg", createJpeg(80, 60)],
  ["image/gif", createGif(80, 60)],
  ["image/webp", createWebp(80, 60)],
] as const

const problemOf = (bytes: Uint8Array): string => {
  const inspected = inspectMedia(bytes)
  return "problem" in inspected ? inspected.problem : "none"
}

describe("the bytes of an image or a PDF", () => {
  it.each(files)("say that it is %s, and its size", (media_type, bytes) => {
    expect(inspectMedia(bytes)).toEqual({ facts: { media_type, bytes: bytes.length, width: 80, height: 60 } })
  })

  it.each(files)("show that a %s was cut off, wherever that was", (media_type, bytes) => {
    for (let length = 17; length < bytes.length; length += 1)
      expect(inspectMedia(bytes.subarray(0, length)), `${media_type} of ${length} bytes`).toHaveProperty("problem")
  })

  it.each(files)("are read without an error, whatever follows the first ones of a %s", (_, bytes) => {
    for (let at = 12; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes)
      changed[at] = 0xff
      expect(() => inspectMedia(changed)).not.toThrow()
    }
  })

  it("are not read on in a PNG of more chunks than a picture has", () => {
    // The header, the picture and the end are chunks, too.
    expect(inspectMedia(createPng(8, 6, { emptyChunks: 10_000 - 3 }))).toMatchObject({ facts: { width: 8 } })
    expect(problemOf(createPng(8, 6, { emptyChunks: 10_000 - 2 }))).toContain("damaged or incomplete")
  })

  it("say how many pages a PDF has, if that is not compressed", () => {
    const pdf = createPdf(3)
    expect(inspectMedia(pdf)).toEqual({ facts: { media_type: "application/pdf", bytes: pdf.length, pages: 3 } })
    const linear = Buffer.from("%PDF-1.7\n1 0 obj << /Linearized 1 /L 99 /N 12 >> endobj\nstartxref\n0\n%%EOF\n")
    expect(inspectMedia(linear)).toMatchObject({ facts: { pages: 12 } })
    const compressed = Buffer.from("%PDF-1.7\nstream x endstream\nstartxref\n0\n%%EOF\n")
    expect(inspectMedia(compressed)).toEqual({
      facts: { media_type: "application/pdf", bytes: compressed.length },
    })
  })

  it.each([
    ["an encrypted PDF", createPdf(1, "/Encrypt 9 0 R"), "the PDF is encrypted: decrypt it first"],
    ["a PDF that was cut off", createPdf(2).subarray(0, 90), "it begins like a PDF, but it is damaged or incomplete"],
    ["too many pages", createPdf(101), "the PDF has 101 pages, and at most 100 can be shown"],
    ["too many pixels", createPng(8_001, 1), "the PNG image has 8001x1 pixels, and at most 8000x8000 can be shown"],
    [
      "too many bytes",
      createPng(1, 1, { padding: mediaLimits.imageBytes }),
      "the PNG image has 3.8 MB, and at most 3.7 MB can be shown: make it smaller first",
    ],
    ["an SVG", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), "it is not a PNG, JPEG, GIF or WebP image"],
    ["a text", Buffer.from("PNG"), "it is not a PNG, JPEG, GIF or WebP image or a PDF"],
    ["nothing", Buffer.alloc(0), "it is not a PNG, JPEG, GIF or WebP image or a PDF"],
  ])("show why %s cannot be shown", (_, bytes, problem) => {
    expect(problemOf(bytes)).toContain(problem)
  })

  it("are described in one line", () => {
    expect(mediaText({ media_type: "image/png", bytes: 34_120, width: 800, height: 600 })).toBe(
      "PNG image, 800x600 pixels, 34.2 kB",
    )
    expect(mediaText({ media_type: "application/pdf", bytes: 2_000_000, pages: 1 })).toBe("PDF, 1 page, 2.0 MB")
    expect(mediaText({ media_type: "application/pdf", bytes: 900 })).toBe("PDF, 900 bytes")
  })
})
