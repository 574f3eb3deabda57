import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import Fastify from "fastify"
import { describe, expect, it } from "vitest"
import { acceptedEncoding } from "../../../http/answers/compress-answers.ts"
import { serveWebPage } from "../../../http/pages/web-page.ts"
import { httpFixture } from "./http-fixture.ts"

describe("the encoding of an answer", () => {
  it.each([
    ["gzip, deflate, br", "br"],
    ["gzip", "gzip"],
    ["br;q=0, gzip;q=0.5", "gzip"],
    ["identity", undefined],
    ["", undefined],
  ])("for a client that accepts %j is %s", (header, encoding) => {
    expect(acceptedEncoding(header)).toBe(encoding)
  })

  it("is used for JSON above 1 kB, and the content is the same", async () => {
    const { server, started } = await httpFixture()
    for (let count = 0; count < 3; count += 1) await started()
    const ask = (url: string, encoding?: string) =>
      server.app.inject({ url, headers: encoding === undefined ? {} : { "accept-encoding": encoding } })
    const plain = await ask("/v1/sessions")
    expect(plain.headers["content-encoding"]).toBeUndefined()
    const gzipped = await ask("/v1/sessions", "gzip")
    expect(gzipped.headers).toMatchObject({ "content-encoding": "gzip", vary: "accept-encoding" })
    expect(gunzipSync(gzipped.rawPayload).toString()).toBe(plain.body)
    expect(gzipped.rawPayload.length).toBeLessThan(plain.rawPayload.length / 2)
    const brotli = await ask("/v1/sessions", "gzip, br")
    expect(brotliDecompressSync(brotli.rawPayload).toString()).toBe(plain.body)
    expect((await ask("/v1/sessions?status=failed", "gzip")).headers["content-encoding"]).toBeUndefined()
  })
})

describe("the files of the page", () => {
  it("are compressed, and scripts and styles have names that browsers can keep", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "adjutant-page-"))
    try {
      const script = "export const text = 'word';\n".repeat(100)
      await writeFile(path.join(folder, "index.html"), '<script src="app.js"></script><link href="style.css">')
      await writeFile(path.join(folder, "app.js"), script)
      await writeFile(path.join(folder, "style.css"), "a{}")
      const app = Fastify()
      await serveWebPage(app, folder, { warn: () => undefined, error: () => undefined })
      const html = (await app.inject("/")).body
      const [name = ""] = /app\.[0-9a-f]{16}\.js/.exec(html) ?? []
      expect(html).toMatch(/"style\.[0-9a-f]{16}\.css"/)
      const kept = await app.inject({ url: `/${name}`, headers: { "accept-encoding": "br" } })
      expect(kept.headers).toMatchObject({
        "content-encoding": "br",
        "cache-control": "public, max-age=31536000, immutable",
      })
      expect(brotliDecompressSync(kept.rawPayload).toString()).toBe(script)
      expect((await app.inject("/")).headers["cache-control"]).toBe("no-cache")
      expect((await app.inject("/app.js")).body).toBe(script)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
