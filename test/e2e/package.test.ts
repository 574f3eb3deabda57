import { mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type InstalledPackage, installPackedPackage } from "../../scripts/installed-package.ts"
import { packageChecks } from "../../scripts/package-checks.ts"

describe("the package, packed and installed in an empty project", () => {
  let folder: string
  let installed: InstalledPackage

  beforeAll(async () => {
    folder = await realpath(await mkdtemp(path.join(tmpdir(), "adjutant-package-")))
    installed = await installPackedPackage(folder)
  })

  afterAll(async () => {
    await rm(folder, { recursive: true, force: true })
  })

  test.each(packageChecks)("$name", async ({ check }) => {
    await expect(check(installed)).resolves.toBeUndefined()
  })
})
