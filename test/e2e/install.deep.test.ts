import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { execa } from "execa"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { installNode } from "../../scripts/checks/published-node.ts"

const root = path.resolve(import.meta.dirname, "../..")
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "adjutant-install-"))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** An installation does not depend on what `npm test` itself prints. */
const environment = () =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^npm_(config_(loglevel|fund|audit|update_notifier)|lifecycle)/i.test(name),
    ),
  )

const checkout = async (name: string, ...files: readonly string[]): Promise<string> => {
  const copy = path.join(folder, name)
  await mkdir(copy)
  for (const file of files) await copyFile(path.join(root, file), path.join(copy, file))
  return copy
}

const all = ["package.json", "package-lock.json", ".npmrc"]

describe.each(["20", "22", "24"])("under Node %s", (node) => {
  describe.each(["10", "11"])("with npm %s", (npm) => {
    let install: (cwd: string) => Promise<{ exitCode: number; output: string }>

    beforeAll(async () => {
      const programs = await installNode(path.join(folder, `node-${node}-npm-${npm}`), { node, npm })
      install = async (cwd) => {
        // Even a dry run would build the page, whose sources are not here.
        const argv = [programs.npm, "ci", "--dry-run", "--ignore-scripts"]
        const { exitCode = -1, all: output } = await execa(programs.node, argv, {
          cwd,
          all: true,
          reject: false,
          extendEnv: false,
          env: {
            ...environment(),
            PATH: `${path.dirname(programs.node)}${path.delimiter}${process.env["PATH"] ?? ""}`,
          },
        })
        return { exitCode, output }
      }
    })

    test("npm ci prints no warnings", async () => {
      const { exitCode, output } = await install(await checkout(`quiet-${node}-${npm}`, ...all))
      const lines = output.split("\n").filter((line) => !/^(add |added \d+ packages|$)/.test(line))
      expect([exitCode, ...lines]).toEqual([0])
    })

    test("npm ci still reports a broken lock file", async () => {
      const cwd = await checkout(`broken-${node}-${npm}`, ...all)
      const manifest = await readFile(path.join(cwd, "package.json"), "utf8")
      await writeFile(path.join(cwd, "package.json"), manifest.replace(/"zod": "[^"]+"/, '"zod": "4.0.0"'))
      const { exitCode, output } = await install(cwd)
      expect(exitCode).not.toBe(0)
      expect(output).toContain("can only install packages when your package.json and package-lock.json")
      expect(output).toContain("zod@4.0.0")
    })
  })
})

test("without .npmrc, Node 20 causes warnings: the tests above can fail", async () => {
  const programs = await installNode(path.join(folder, "node-20-npm-11"), { node: "20", npm: "11" })
  const { all: output } = await execa(programs.node, [programs.npm, "ci", "--dry-run"], {
    cwd: await checkout("loud", "package.json", "package-lock.json"),
    all: true,
    reject: false,
    extendEnv: false,
    env: environment(),
  })
  expect(output).toContain("EBADENGINE")
})
