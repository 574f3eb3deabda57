import { mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { execa } from "execa"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { endServicesIn } from "../helpers/end-services.ts"
import { commandChecks } from "../../scripts/checks/command-checks.ts"
import {
  type InstalledPackage,
  installGlobally,
  installInProject,
  packPackage,
} from "../../scripts/checks/installed-package.ts"
import { packageChecks } from "../../scripts/checks/package-checks.ts"
import { installNode } from "../../scripts/checks/published-node.ts"

let folder: string
let tarball: string

beforeAll(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), "adjutant-package-")))
  tarball = await packPackage(folder)
})

afterAll(async () => {
  await endServicesIn(folder)
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
})

describe("the package, packed and installed in an empty project", () => {
  let installed: InstalledPackage

  beforeAll(async () => {
    installed = await installInProject(tarball, folder)
  })

  test.each([...packageChecks, ...commandChecks])("$name", async ({ check }) => {
    await expect(check(installed)).resolves.toBeUndefined()
  })
})

describe("the package, packed and installed globally", () => {
  let installed: InstalledPackage

  beforeAll(async () => {
    installed = await installGlobally(tarball, folder)
  })

  test.each(commandChecks)("$name", async ({ check }) => {
    await expect(check(installed)).resolves.toBeUndefined()
  })

  test("it says what to do under Node 20, and runs after that is done", async () => {
    const old = await installNode(path.join(folder, "old"), { node: "20" })
    const underOldNode = (...args: readonly string[]) =>
      execa(old.node, [path.join(installed.home, "bin/adjutant.js"), ...args], {
        cwd: installed.project,
        reject: false,
      })
    expect(await underOldNode("--version")).toMatchObject({
      exitCode: 2,
      stdout: "",
      stderr: expect.stringMatching(
        /^adjutant: Node\.js 24 or later is required, and this is 20\..*npm install --global node@24/,
      ),
    })
    const prefix = path.resolve(installed.home, "../../..")
    await execa("npm", ["install", "--global", "--prefix", prefix, "--prefer-offline", "node@24"])
    expect(await underOldNode("--version")).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      stderr: "",
    })
  })
})
