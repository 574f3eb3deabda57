// Compares two OpenAPI documents with oasdiff: `node scripts/compare-openapi.ts <old> <new>`, by default the first committed version of
// docs/reference/openapi.json and the present one. A change that breaks clients fails, unless docs/reference/openapi-changes.txt lists it.
import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { runCommand } from "./checks/run-command.ts"
import { userCache } from "./checks/user-cache.ts"

const version = "v1.37.0"
const document = "docs/reference/openapi.json"
const listed = "docs/reference/openapi-changes.txt"

const root = path.resolve(import.meta.dirname, "..")
const folder = path.join(userCache(process.env), `oasdiff-${version}`)
const program = path.join(folder, "oasdiff")

/** Returns whether the program is there, after building it if Go can. */
const ensureProgram = async (): Promise<boolean> => {
  if (existsSync(program)) return true
  const env = { ...process.env, GOBIN: folder }
  return (await runCommand(["go", "install", `github.com/oasdiff/oasdiff@${version}`], env)) === 0
}

const git = (...args: readonly string[]): string =>
  execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 })

/** Writes the first committed version of the document into a folder; undefined before there is one. */
const firstVersion = (into: string): string | undefined => {
  const first = git("log", "--diff-filter=A", "--format=%H", "--", document).trim().split("\n").at(-1) ?? ""
  if (first === "") return undefined
  const file = path.join(into, "first.json")
  writeFileSync(file, git("show", `${first}:${document}`))
  return file
}

const compare = async (older: string, newer: string): Promise<number> =>
  await runCommand([
    ...([program, "breaking", older, newer, "--fail-on", "ERR"] as const),
    ...["--err-ignore", path.join(root, listed), "--format", "singleline"],
  ])

const main = async (): Promise<number> => {
  if (!(await ensureProgram())) {
    console.error("oasdiff could not be built: Go and its module proxy are required")
    return 1
  }
  const temporary = mkdtempSync(path.join(tmpdir(), "adjutant-openapi-"))
  try {
    const [older = firstVersion(temporary), newer = path.join(root, document)] = process.argv.slice(2)
    if (older !== undefined) return await compare(older, newer)
    console.log(`${document} has no earlier version`)
    return 0
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

process.exitCode = await main()
