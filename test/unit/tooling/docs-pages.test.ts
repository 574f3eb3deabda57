import { existsSync, readdirSync, statSync } from "node:fs"
import path from "node:path"
import type { Command } from "commander"
import { describe, expect, it } from "vitest"
import { trackedTexts } from "../../../scripts/checks/tracked-texts.ts"
import { declaredProgram } from "../../../scripts/reference/cli-page.ts"

const root = path.resolve(import.meta.dirname, "../../..")
const pages = trackedTexts().filter(({ file }) => file === "README.md" || /^docs\/.*\.md$/.test(file))
const [readme] = pages.filter(({ file }) => file === "README.md")

/** Returns a page without its code blocks. */
const proseOf = (markdown: string): string => markdown.replaceAll(/^```[^]*?^```/gm, "")

/** Returns the anchor that GitHub gives a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .trim()
    .replaceAll(" ", "-")

const anchorsOf = (markdown: string): readonly string[] =>
  [...proseOf(markdown).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading ?? ""))

/** Returns the links of a page that lead to files and headings of the repository. */
const linksOf = (markdown: string): readonly string[] =>
  [...proseOf(markdown).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target ?? "")
    .filter((target) => !/^[a-z]+:/.test(target))

const isBroken = (from: string, link: string): boolean => {
  const [name = "", anchor] = link.split("#")
  const file = name === "" ? from : path.posix.join(path.posix.dirname(from), name)
  if (!existsSync(path.join(root, file))) return true
  if (anchor === undefined) return false
  const target = pages.find((page) => page.file === file)
  return target === undefined || !anchorsOf(target.text).includes(anchor)
}

describe("links", () => {
  it("returns the anchors of headings and the links in prose", () => {
    expect(anchorsOf("# The `store` and its Temporal\n\n```sh\n# no heading\n```\n\n## `http`\n")).toEqual([
      "the-store-and-its-temporal",
      "http",
    ])
    expect(linksOf("[a](b.md#c), [web](https://example.org)\n\n```\n[x](y)\n```\n")).toEqual(["b.md#c"])
  })

  it.each(pages)("lead from $file to files and headings that exist", ({ file, text }) => {
    expect(linksOf(text).filter((link) => isBroken(file, link))).toEqual([])
  })
})

/**
 * Returns the commands that a page shows, each with its options: `adjutant <command> --option`, up to the end
 * of the line or of the code.
 */
const shownCommands = (markdown: string): readonly string[] => {
  const joined = markdown.replaceAll(/\s*\\\n\s*/g, " ")
  const blocks = [...joined.matchAll(/^```(?:sh|console|text)\n([^]*?)^```/gm)].flatMap(([, code]) =>
    (code ?? "").split("\n"),
  )
  const inline = [...proseOf(joined).matchAll(/`([^`]+)`/g)].map(([, code]) => (code ?? "").replaceAll(/\s+/g, " "))
  const lines = [...blocks, ...inline].map((line) => line.replace(/^claude mcp add (?:.* -- |.*)/, ""))
  return lines.flatMap((line) =>
    [...line.matchAll(/(?:^|\s|\()adjutant ((?:[a-z-]|<)[^#|`]*)/g)].map(([, words]) => words ?? ""),
  )
}

const program = await declaredProgram()
const globalOptions = ["--version", "--help", "-h", ...program.options.flatMap(({ long, short }) => [long, short])]

/** Returns every option of a command and of its subcommands. */
const optionsOf = (command: Command): readonly (string | null | undefined)[] => [
  ...command.options.flatMap(({ long, short }) => [long, short]),
  ...command.commands.flatMap(optionsOf),
]

/** Returns the parts of a shown command that the program does not have: its name, or options. */
const unknownParts = (shown: string): readonly string[] => {
  const words = shown.replaceAll(/"[^"]*"/g, "").split(/[\s;,)]+/)
  const name = words.find((word) => /^[a-z]/.test(word)) ?? ""
  const command = program.commands.find((one) => one.name() === name)
  const known = [...globalOptions, ...(command === undefined ? [] : optionsOf(command))]
  const options = words.filter((word) => /^--?[a-z]/.test(word))
  const isPlaceholder = shown.startsWith("<") || options[0] === words[0]
  return [
    ...(command === undefined && !isPlaceholder ? [name] : []),
    ...options.filter((option) => !known.includes(option)),
  ]
}

describe("pictures", () => {
  const folder = path.join(root, "docs/pictures")
  const shown = pages.flatMap(({ file, text }) =>
    linksOf(text).map((link) => path.posix.join(path.posix.dirname(file), link)),
  )

  it.each(readdirSync(folder))("%s is small, and a page shows it", (name) => {
    expect(statSync(path.join(folder, name)).size).toBeLessThan(150_000)
    expect(shown).toContain(`docs/pictures/${name}`)
  })
})

describe("commands", () => {
  it("reports commands and options that the program does not have", () => {
    const page =
      "Run `adjutant run --no-such x`, `adjutant nosuch` or\n\n```sh\n$ adjutant run \\\n  --model main\n```\n"
    expect(shownCommands(page)).toEqual(["run --model main", "run --no-such x", "nosuch"])
    expect(shownCommands(page).flatMap(unknownParts)).toEqual(["--no-such", "nosuch"])
  })

  it.each(pages)("in $file exist in the program, with their options", ({ text }) => {
    expect(shownCommands(text).flatMap((shown) => unknownParts(shown).map((part) => `${shown}: ${part}`))).toEqual([])
  })

  it("in the README are checked", () => {
    expect(shownCommands(readme?.text ?? "").length).toBeGreaterThan(5)
  })
})

describe("README.md", () => {
  const lines = (readme?.text ?? "").trimEnd().split("\n")

  it("has at most 150 lines", () => {
    expect(lines.length).toBeLessThanOrEqual(150)
  })

  it("has no line of more than 100 characters", () => {
    expect(lines.filter((line) => Array.from(line).length > 100)).toEqual([])
  })
})

describe("prose", () => {
  /** Tables and single words cannot be wrapped. */
  const longLines = (markdown: string): readonly string[] =>
    proseOf(markdown)
      .split("\n")
      .filter((line) => Array.from(line).length > 100 && !/^\s*\|/.test(line) && /\S\s+\S/.test(line.slice(4, 100)))

  it.each(pages)("in $file is wrapped at 100 characters", ({ text }) => {
    expect(longLines(text)).toEqual([])
  })
})

describe("decision records", () => {
  const records = pages.filter(({ file }) => file.startsWith("docs/decisions/"))

  it.each(records)("$file has the number of its file, a context, a decision and consequences", ({ file, text }) => {
    expect(text).toMatch(new RegExp(`^# ${Number(path.posix.basename(file).slice(0, 4))}\\. \\S`))
    expect([...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual(
      expect.arrayContaining(["Context", "Decision", "Consequences"]),
    )
  })
})
