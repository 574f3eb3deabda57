import path from "node:path"
import { gzipSync } from "node:zlib"
import { readFile } from "node:fs/promises"
import Fastify from "fastify"
import { expect, it } from "vitest"
import { serveWebPage } from "../../../http/pages/web-page.ts"
import { bundlePage } from "../../../scripts/page/bundle-page.ts"

const root = path.resolve(import.meta.dirname, "../../..")
const mostBytes = 150 * 1_024

it("is one script of at most 150 KB, compressed, with the licences of what is in it", async () => {
  const script = await bundlePage(root)
  expect(gzipSync(script).length).toBeLessThanOrEqual(mostBytes)
  const licences = await readFile(path.join(root, "web/dist/LICENSES.txt"), "utf8")
  for (const name of ["preact", "@preact/signals", "dompurify", "highlight.js", "markdown-it", "diff"])
    expect(licences).toContain(`${name}\n\n`)
  expect(script).not.toMatch(/\b(?:eval|new Function)\(/)
})

it("says how to build the page where it is missing", async () => {
  const app = Fastify()
  const warned: string[] = []
  const warn = (_details: object, message: string) => void warned.push(message)
  await serveWebPage(app, path.join(root, "no-such-folder"), { warn, error: warn })
  const answer = await app.inject("/")
  expect(answer.statusCode).toBe(503)
  expect(answer.body).toContain("npm run build:page")
  expect(warned).toEqual([expect.stringContaining("npm run build:page")])
})
