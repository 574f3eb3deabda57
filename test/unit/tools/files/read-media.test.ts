import { truncateSync } from "node:fs"
import { expect, test } from "vitest"
import { mediaLimits } from "../../../../domain/media/media-limits.ts"
import { read } from "../../../../tools/files/read.ts"
import { createPdf, createPng } from "../../../helpers/media-files.ts"
import { call, createWorkspace } from "../workspace.ts"

test.each([
  ["an image", "chart.png", createPng(8, 6), { media_type: "image/png", width: 8, height: 6 }],
  ["an image with another name", "notes.txt", createPng(8, 6), { media_type: "image/png", width: 8, height: 6 }],
  ["a PDF", "paper.pdf", createPdf(2), { media_type: "application/pdf", pages: 2 }],
])("Read returns %s as it is, with what its bytes say", async (_, name, bytes, said) => {
  const { context, put } = createWorkspace()
  put(name, bytes)
  const result = await call(read, { file_path: name }, context)
  expect(result).toEqual({
    content: "",
    media: [{ name, bytes: new Uint8Array(bytes), facts: { ...said, bytes: bytes.length } }],
  })
})

test("Read shows an SVG as the text that it is", async () => {
  const { context, put } = createWorkspace()
  put("a.svg", '<svg xmlns="http://www.w3.org/2000/svg"/>\n')
  const result = await call(read, { file_path: "a.svg" }, context)
  expect(result).toMatchObject({ content: '     1\t<svg xmlns="http://www.w3.org/2000/svg"/>' })
})

test("Read says why it cannot show an image or a PDF", async () => {
  const { context, put } = createWorkspace()
  const failure = async (name: string, args = {}) => {
    const result = await call(read, { file_path: name, ...args }, context)
    expect(result.isError).toBe(true)
    return result.content
  }
  put("half.png", createPng(8, 6).subarray(0, 50))
  expect(await failure("half.png")).toBe(
    "half.png (PNG image, 50 bytes) cannot be shown: it begins like a PNG image, but it is damaged or incomplete",
  )
  // A file of which only the beginning exists on the disk is not read.
  truncateSync(put("large.pdf", createPdf(1)), mediaLimits.pdfBytes + 1)
  expect(await failure("large.pdf")).toBe(
    "large.pdf cannot be shown: the PDF has 10.1 MB, and at most 10.0 MB can be shown: extract the pages that you need first",
  )
  put("a.png", createPng(8, 6))
  expect(await failure("a.png", { offset: 2 })).toContain("read it without offset and limit")
})
