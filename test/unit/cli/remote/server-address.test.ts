import { mkdtemp, rm, writeFile } from "node:fs/promises"
import os from "node:os"
import path from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { serverAddress } from "../../../../cli/remote/server-address.ts"

const options = { output: "json", verbose: false } as const
const token = { ADJUTANT_API_TOKEN: "t0ken" }
const addressOf = (server: string, env: Readonly<Record<string, string>> = token) =>
  serverAddress({ ...options, server }, env)

it.each([
  ["http://127.0.0.1:7420", "http://127.0.0.1:7420", false],
  ["http://localhost:7420/", "http://localhost:7420", false],
  ["https://adjutant.example.com/team/", "https://adjutant.example.com/team", false],
  ["http://adjutant.example.com", "http://adjutant.example.com", true],
])("reads %s", (server, url, isExposed) => {
  expect(addressOf(server)).toEqual({ url, token: "t0ken", isExposed })
})

it.each([
  ["adjutant.example.com", "http://host:port"],
  ["ftp://adjutant.example.com", "http://host:port"],
  ["https://user:pass@adjutant.example.com", "pass the token in ADJUTANT_API_TOKEN"],
  ["https://adjutant.example.com?token=t", "pass the token in ADJUTANT_API_TOKEN"],
])("refuses %s, without repeating it", (server, text) => {
  expect(() => addressOf(server)).toThrow(text)
  expect(() => addressOf(server)).not.toThrow("adjutant.example.com")
})

it("requires a token of one line", () => {
  expect(() => addressOf("http://127.0.0.1:7420", {})).toThrow("set ADJUTANT_API_TOKEN")
  expect(() => addressOf("http://127.0.0.1:7420", { ADJUTANT_API_TOKEN: "a\nb" })).toThrow("characters that no token")
})

it("reads the token from a file", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "adjutant-token-"))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = path.join(folder, "token")
  await writeFile(file, "from-file\n")
  expect(addressOf("http://127.0.0.1:7420", { ADJUTANT_API_TOKEN_FILE: file })).toMatchObject({ token: "from-file" })
})

it.each([
  ["--config", { config: "a.yaml" }],
  ["--data-dir", { dataDir: "/tmp" }],
  ["--trust", { trust: true }],
])("refuses %s, which has no effect on a server", (flag, more) => {
  expect(() => serverAddress({ ...options, ...more, server: "http://127.0.0.1:1" }, token)).toThrow(flag)
})
