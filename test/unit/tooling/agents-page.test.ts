import { existsSync, readFileSync } from "node:fs"
import path from "node:path"
import { globSync } from "tinyglobby"
import { describe, expect, it } from "vitest"

const root = path.resolve(import.meta.dirname, "../../..")

/** Folders that exist only in an installed or built checkout. */
const isMade = (name: string): boolean => /^(?:node_modules|(?:web\/)?dist|shots)(?:\/|$)/.test(name)

/**
 * Texts with a slash that are not paths: packages, ids with placeholders, and paths that start outside the
 * checkout.
 */
const isOther = (name: string): boolean => /^(?:@|\/|~|\.{1,2}\/)|[<>(){}$]|:\/\//.test(name)

/** Names that a rule forbids. */
const forbidden = ["utils.ts"]

const isPath = (word: string): boolean =>
  (word.includes("/") || /^[\w*-][\w*.-]*\.ts$/.test(word)) && !isOther(word) && !forbidden.includes(word)

/** Returns the paths that a page names: in backticks, and in code blocks if they end in `.ts`. */
const pathsIn = (markdown: string): readonly string[] => {
  const blocks = [...markdown.matchAll(/^```[^\n]*\n([^]*?)^```/gm)].map(([, code]) => code ?? "")
  const inline = [...markdown.replaceAll(/^```[^]*?^```/gm, "").matchAll(/`([^`\n]+)`/g)].map(([, code]) => code ?? "")
  const inBlocks = blocks.flatMap((code) => code.match(/[\w.*-]+(?:\/[\w.*-]+)+\.ts\b/g) ?? [])
  const words = inline.flatMap((code) => code.split(/\s+/)).map((word) => word.replace(/[,;:]$/, ""))
  return [...new Set([...words, ...inBlocks].filter((word) => isPath(word) && !isMade(word)))]
}

/**
 * Returns whether the repository has the file or folder: a pattern needs one match, and a bare name may be in
 * any folder.
 */
const exists = (name: string): boolean => {
  const isBare = !name.includes("/")
  if (!isBare && !name.includes("*")) return existsSync(path.join(root, name))
  const pattern = isBare ? `**/${name}` : name
  return globSync([pattern], { cwd: root, ignore: ["**/node_modules/**", "dist/**"] }).length > 0
}

describe("pathsIn", () => {
  it("finds files, folders and patterns", () => {
    const page = "See `a/b.ts`, `folder/` and `c.ts`.\n\n| `node scripts/run.ts` | `*.deep.test.ts` |\n"
    expect(pathsIn(page)).toEqual(["a/b.ts", "folder/", "c.ts", "scripts/run.ts", "*.deep.test.ts"])
    expect(pathsIn("```text\nstep -> steps/call-model.ts -> a/b\n```\n")).toEqual(["steps/call-model.ts"])
  })

  it("ignores texts that are not paths", () => {
    expect(pathsIn("`@temporalio/worker` `subagent/<id>` `.ts` `dist/` `node_modules/.bin` plain/text.ts")).toEqual([])
  })
})

describe("exists", () => {
  it("returns true for files and folders of the repository, and false for others", () => {
    expect(["workflows/", "workflows/index.ts", "index.ts", "*.deep.test.ts", "test/*/no-such.ts"].map(exists)).toEqual(
      [true, true, true, true, false],
    )
    expect(["no-such/", "workflows/no-such.ts", "no-such.ts", "*.no-such.ts"].some(exists)).toBe(false)
  })
})

describe("the pages for contributors", () => {
  const pathsOf = (page: string) => pathsIn(readFileSync(path.join(root, page), "utf8"))

  it.each(["AGENTS.md", "docs/code-map.md", "docs/development.md"])("%s names only files that exist", (page) => {
    expect(pathsOf(page).filter((name) => !exists(name))).toEqual([])
  })

  it("are read", () => {
    expect(pathsOf("AGENTS.md")).toEqual(expect.arrayContaining(["contracts/", "client/connect.ts"]))
    expect(pathsOf("docs/code-map.md")).toEqual(expect.arrayContaining(["domain/run/next-step.ts"]))
  })
})
