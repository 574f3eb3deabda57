import assert from "node:assert/strict"
import { existsSync } from "node:fs"
import { cp, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { z } from "zod"
import { type PackageCheck, succeed } from "./package-check.ts"

const published = /^(bin|dist|examples|web\/dist)\/|^(package\.json|README\.md|LICENSE)$/

const examples = ["start-and-wait.ts", "decide-from-code.ts", "receive-webhook.ts"]

/** Copies the examples, as a user does: Node does not strip types below `node_modules`. */
const copyExamples = async (project: string): Promise<string> => {
  const folder = path.join(project, "library")
  await cp(path.join(project, "node_modules/adjutant/examples/library"), folder, { recursive: true })
  return folder
}

const compilerOptions = [
  ...["--noEmit", "--strict", "--skipLibCheck"],
  ...["--module", "nodenext", "--target", "es2024", "--typeRoots", path.resolve("node_modules/@types"), "--types"],
]

const imports = `
import * as adjutant from "adjutant"
import * as contracts from "adjutant/contracts"
import * as worker from "adjutant/worker"
console.log(typeof adjutant.connect, typeof contracts.sessionSchema.parse, typeof worker.defineTool)
`

const typed = `
import { connect } from "adjutant"
import { sessionSchema, type Session } from "adjutant/contracts"
import { defineTool } from "adjutant/worker"
export const used = [connect, defineTool]
export const session: Session = sessionSchema.parse({})
// @ts-expect-error A session has no such field.
export const wrong = session.no_such_field
`

const listFiles = (value: unknown): string[] => {
  if (typeof value === "string") return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(listFiles) : []
}

/** Checks of the package as a dependency of a project. */
export const packageChecks: readonly PackageCheck[] = [
  {
    name: "it contains exactly the published files",
    check: async ({ packedFiles }) => {
      const files = packedFiles.filter((file) => file !== "")
      assert.deepEqual(
        files.filter((file) => !published.test(file)),
        [],
      )
      for (const file of [
        "bin/adjutant.js",
        "LICENSE",
        "dist/cli/main.js",
        "dist/cli/LICENSES.txt",
        "dist/workflow-bundle.cjs",
        "web/dist/index.html",
        "web/dist/app.js",
        "web/dist/LICENSES.txt",
      ]) {
        assert.ok(files.includes(file), `${file} is not in the package`)
      }
    },
  },
  {
    name: "every file that its exports name exists",
    check: async ({ home }) => {
      const manifest = z
        .object({ exports: z.record(z.string(), z.unknown()) })
        .parse(JSON.parse(await readFile(path.join(home, "package.json"), "utf8")))
      const files = Object.values(manifest.exports)
        .flatMap(listFiles)
        .filter((file) => !file.endsWith(".ts") || file.endsWith(".d.ts"))
      assert.ok(files.length > 0)
      assert.deepEqual(
        files.filter((file) => !existsSync(path.join(home, file))),
        [],
      )
    },
  },
  {
    name: "its three entry points can be imported",
    check: async ({ run }) => {
      const stdout = succeed(await run("node", ["--input-type=module", "--eval", imports]))
      assert.equal(stdout.trim(), "function function function")
    },
  },
  {
    name: "a program that uses it gets its types",
    check: async ({ project, run }) => {
      await writeFile(path.join(project, "typed.ts"), typed)
      succeed(await run("tsc", [...compilerOptions, "", "typed.ts"]))
    },
  },
  {
    name: "the library's examples agree with its types",
    check: async ({ project, run }) => {
      const folder = await copyExamples(project)
      succeed(await run("tsc", [...compilerOptions, "node", ...examples.map((name) => path.join(folder, name))]))
    },
  },
  {
    name: "the library's examples run",
    check: async ({ project, run }) => {
      const folder = await copyExamples(project)
      const outputs = []
      for (const name of examples) outputs.push(succeed(await run("node", [path.join(folder, name)])))
      assert.match(outputs[0] ?? "", /It shows [1-6]/)
      assert.match(outputs[1] ?? "", /RELEASE\.md accept\n.*motd reject\n[^]*outcome: 'completed'/)
      assert.match(outputs[2] ?? "", /waits: .*\n204\n400/)
    },
  },
]
