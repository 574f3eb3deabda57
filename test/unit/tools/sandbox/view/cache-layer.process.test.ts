import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { eraseCacheLayer, openCacheLayer } from "../../../../../tools/sandbox/view/cache-layer.ts"

test("a user whose home directory is missing has no folder for downloads, and none is created", async () => {
  const folder = mkdtempSync(join(tmpdir(), "adjutant-layer-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const home = join(folder, "home")
  expect(await openCacheLayer("/data", { HOME: home })).toBeUndefined()
  expect(await eraseCacheLayer("/data", { HOME: home })).toBe(0)
  expect(existsSync(home)).toBe(false)
  const layer = await openCacheLayer("/data", { HOME: folder })
  expect(layer?.path).toContain(join(".cache", "adjutant", "sandbox"))
})
