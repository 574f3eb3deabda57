import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { maxFunctionLines } from "../lint/function-length.ts"

const rule = "max-lines-per-function"
const oxlint = path.resolve(import.meta.dirname, "../../node_modules/oxlint/bin/oxlint")

export interface LongFunction {
  readonly file: string
  /** Where the function starts, counted from 1. */
  readonly line: number
  readonly lines: number
  readonly name: string
}

interface Report {
  readonly diagnostics: readonly {
    readonly message: string
    readonly filename: string
    readonly labels: readonly { readonly span: { readonly line: number } }[]
  }[]
}

/** Returns the name that a declaration or a property gives to the function which starts in a line, or in one of the two above it. */
const nameAt = (text: string, line: number): string =>
  text
    .split("\n")
    .slice(Math.max(0, line - 3), line)
    .toReversed()
    .map((above) => /(?:const|function)\s+(\w+)/.exec(above)?.[1])
    .find((name) => name !== undefined) ?? "(unnamed)"

/** Runs the linter with one rule, and without the project's exceptions. */
const lint = (root: string, files: readonly string[]): Report => {
  const folder = mkdtempSync(path.join(tmpdir(), "adjutant-structure-"))
  try {
    const config = path.join(folder, "oxlint.json")
    const rules = { [rule]: ["error", { max: maxFunctionLines }] }
    writeFileSync(config, JSON.stringify({ plugins: [], categories: { correctness: "off" }, rules }))
    const args = [oxlint, "--config", config, "--format", "json", ...files]
    const { stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 })
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the linter's own format
    return JSON.parse(stdout) as Report
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns the functions that are longer than the linter allows, the longest first. Starts the linter. */
export const longFunctions = (root: string, files: readonly string[]): readonly LongFunction[] =>
  lint(root, files)
    .diagnostics.map(({ message, filename, labels }) => {
      const line = labels[0]?.span.line ?? 0
      const name = nameAt(readFileSync(path.join(root, filename), "utf8"), line)
      return { file: filename, line, lines: Number(/\((\d+)\)/.exec(message)?.[1]), name }
    })
    .toSorted((left, right) => right.lines - left.lines)
