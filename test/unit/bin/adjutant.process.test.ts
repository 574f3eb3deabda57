import { existsSync, mkdirSync, readdirSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { homedir, tmpdir } from "node:os"
import path from "node:path"
import { execa } from "execa"
import { afterEach, beforeEach, expect, it } from "vitest"
import { packageRoot } from "../../../config/package-root.ts"
import { cacheFolder } from "../../../domain/workspace/cache-folder.ts"

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "adjutant-launcher-"))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const launcher = path.join(packageRoot(), "bin", "adjutant.js")

/** Starts the launcher as if it ran on another system. */
const start = (platform: string, env: Readonly<Record<string, string>>) => {
  const pretend = `Object.defineProperty(process, "platform", { value: ${JSON.stringify(platform)} })`
  const loaded = `--import=data:text/javascript,${encodeURIComponent(pretend)}`
  return execa(process.execPath, [loaded, launcher, "--version"], {
    env: { PATH: process.env["PATH"], ...env },
    extendEnv: false,
    cwd: folder,
  })
}

it.each([
  ["linux", "the home directory", { HOME: "home" }],
  ["darwin", "the home directory", { HOME: "home" }],
  ["linux", "XDG_CACHE_HOME", { HOME: "home", XDG_CACHE_HOME: "cache" }],
  ["linux", "a home directory that is missing", { HOME: "gone" }],
])("the launcher keeps compiled code on %s where the product has its cache: %s", async (platform, _what, names) => {
  mkdirSync(path.join(folder, "home"))
  const env = Object.fromEntries(Object.entries(names).map(([name, value]) => [name, path.join(folder, value)]))
  await start(platform, env)
  const cache = cacheFolder(env, { homedir, existsSync })
  const found = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((each) => each.endsWith("/compile"))
  expect(found).toEqual(cache === undefined ? [] : [path.relative(folder, path.join(cache, "compile"))])
})
