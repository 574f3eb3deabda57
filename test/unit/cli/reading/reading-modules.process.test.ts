import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

const root = path.resolve(import.meta.dirname, "../../../..")

/** Prints the packages that a process has loaded when it ends. */
const preload = `
import { registerHooks } from "node:module"
import { writeSync } from "node:fs"
const packages = new Set()
registerHooks({ load(url, context, next) {
  const name = /.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)\\//.exec(url)?.[1]
  if (name !== undefined) packages.add(name)
  return next(url, context)
} })
process.on("exit", () => writeSync(2, "packages " + [...packages].join(" ") + "\\n"))
`

describe("a command that reads the store", () => {
  let folder: string

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "adjutant-test-"))
    await writeFile(path.join(folder, "preload.mjs"), preload)
  })

  afterAll(() => rm(folder, { recursive: true, force: true }))

  const packagesOf = async (...command: readonly string[]): Promise<readonly string[]> => {
    const program = [path.join(root, "cli/main.ts"), ...command, "--data-dir", path.join(folder, "data")]
    const { stderr } = await promisify(execFile)(
      process.execPath,
      ["--import", path.join(folder, "preload.mjs"), ...program],
      { cwd: folder },
    )
    return /^packages (.*)$/m.exec(stderr)?.[1]?.split(" ") ?? []
  }

  it.each([["list"], ["approvals"]])("loads neither Temporal's client nor gRPC: %s", async (command) => {
    const loaded = await packagesOf(command)
    expect(loaded).toContain("zod")
    expect(loaded.filter((name) => /^@temporalio\/(client|worker|proto)$|grpc|protobufjs/.test(name))).toEqual([])
  })
})
