import { expect, it } from "vitest"
import { inspectMedia } from "../../../../domain/media/inspect-media.ts"
import { scanPdf } from "../../../../domain/media/scan-pdf.ts"
import { growthOf, mostGrowth } from "../../../helpers/growth.ts"
import { createPdf } from "../../../helpers/media-files.ts"

const pagesOf = (text: string): number | undefined => scanPdf(Buffer.from(text, "latin1")).pages
const page = (number: number): string => `${number} 0 obj << /Type /Page /Parent 2 0 R >> endobj\n`
const pages = (count: number): string => Array.from({ length: count }, (_, index) => page(index + 3)).join("")

it.each([
  ["its page tree", "<< /Type /Pages /Kids [3 0 R] /Count 7 >>", 7],
  ["its page tree in another order", "<</Count 7/Kids[3 0 R]/Type/Pages>>", 7],
  ["a tree with thousands of pages", `<< /Type /Pages /Kids [${"3 0 R ".repeat(4_000)}] /Count 4000 >>`, 4_000],
  ["a tree with a line break after each name", "<< /Type\r\n/Pages\n/Count\r\n\t12 >>", 12],
  ["its linearisation", "<< /Linearized 1 /L 99 /N 12 /T 80 >>", 12],
  ["its pages", pages(3), 3],
  ["the largest of several trees", "<< /Type /Pages /Count 2 >> << /Type /Pages /Count 9 >>", 9],
  ["its tree, not a stale linearisation", "<< /Linearized 1 /N 1 >> << /Type /Pages /Count 4000 >>", 4_000],
  ["its pages, not a stale tree", `<< /Type /Pages /Count 1 >> ${pages(5)}`, 5],
  ["its pages, of which one was changed twice", `${pages(5)}${page(4)}%%EOF\n${page(4)}`, 5],
  ["its pages, in any revision", `${pages(2)}3\r\n1  obj<</Type/Page>>endobj`, 2],
])("a PDF has as many pages as %s says", (_, text, count) => {
  expect(pagesOf(text)).toBe(count)
})

it.each([
  ["an empty tree", "<< /Type /Pages /Count 0 >>"],
  ["an empty linearisation", "<< /Linearized 1 /N 0 >>"],
  ["an outline", "<< /Type /Outlines /Count 9 >>"],
  ["names that only begin alike", "<< /Type /PagesX /Counter 9 /Count 9 >> << /Type /PageLabel >> << /Typed /Page >>"],
  ["a negative count", "<< /Type /Pages /Count -9 >>"],
  ["nothing", ""],
])("the number of pages is unknown with %s", (_, text) => {
  expect(scanPdf(Buffer.from(text))).toEqual({ isEncrypted: false })
})

it("a stale number of pages does not bypass the limit", () => {
  const stale = Buffer.from(
    createPdf(4_000).toString("latin1").replace("%PDF-1.7\n", "%PDF-1.7\n<</Linearized 1/N 1>>"),
  )
  expect(inspectMedia(stale)).toMatchObject({ problem: expect.stringContaining("the PDF has 4000 pages") })
})

it("a PDF is encrypted if it refers to how", () => {
  expect(scanPdf(Buffer.from("<< /Encrypt 9 0 R >>")).isEncrypted).toBe(true)
  expect(scanPdf(Buffer.from("<< /Encrypt 9 0 >> << /EncryptMetadata 9 0 R >> /Encrypt")).isEncrypted).toBe(false)
})

const pdfFullOf =
  (text: string) =>
  (length: number): Uint8Array =>
    Buffer.from(`%PDF-1.7\n${text.repeat(Math.ceil(length / text.length)).slice(0, length)}\n%%EOF\n`, "latin1")

it.each([
  "/Type/Pages",
  "/Count 1 ",
  "/Linearized",
  "/Encrypt 1 1 ",
  "/Type ",
  " ",
  "/",
  ">",
  "1",
  "/Type      ",
  "/N 1",
  "obj",
  " 0 obj",
  "1 1 obj/Type/Page ",
])("the time for reading a PDF full of %j is linear in its size", (text) => {
  expect(growthOf(pdfFullOf(text), inspectMedia, 1_000_000)).toBeLessThan(mostGrowth)
})

it("reading a PDF full of slashes takes about as long as reading any other", () => {
  const microsecondsFor = (text: string): number => {
    const pdf = pdfFullOf(text)(4_400_000)
    const rounds = Array.from({ length: 3 }, () => {
      const start = process.threadCpuUsage()
      inspectMedia(pdf)
      return process.threadCpuUsage(start).user
    })
    return Math.min(...rounds)
  }
  expect(microsecondsFor("/") / Math.max(16_000, microsecondsFor("x"))).toBeLessThan(10)
})
