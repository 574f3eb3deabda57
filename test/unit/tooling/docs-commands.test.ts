import { expect, it } from "vitest"
import { trackedTexts } from "../../../scripts/checks/tracked-texts.ts"

/**
 * `npx` with the program's name as a package that it may fetch, in a shell line or in a client's
 * configuration.
 */
const mayFetch = /\b(?:npx|npm exec)\b(?![^\n`]*--no-install)[^\n`]*?[\s"',[]adjutant\b(?![-./])/
const isCheckout = /checkout/i

/**
 * Returns paragraphs, table rows and code blocks that tell a reader outside a checkout to run whatever package
 * npm finds under the name.
 */
const findFetches = (markdown: string): readonly string[] =>
  markdown
    .split(/\n\s*\n/)
    .flatMap((paragraph) => (paragraph.startsWith("|") ? paragraph.split("\n") : [paragraph]))
    .map((paragraph) => paragraph.replaceAll(/,?\s*\n\s*/g, " "))
    .filter((paragraph) => mayFetch.test(paragraph) && !isCheckout.test(paragraph))

it("finds commands that would fetch a package of the same name", () => {
  expect(findFetches("Run `npx adjutant doctor` first.")).toHaveLength(1)
  expect(findFetches("```sh\nclaude mcp add adjutant -- npx adjutant mcp\n```")).toHaveLength(1)
  expect(findFetches('{ "command": "npx", "args": ["-y", "adjutant", "mcp"] }')).toHaveLength(1)
  expect(findFetches('{\n  "command": "npx",\n  "args": ["adjutant"]\n}')).toHaveLength(1)
  expect(findFetches('command = "npx"\nargs = ["adjutant"]')).toHaveLength(1)
})

it("accepts commands that are installed already, and commands for a checkout", () => {
  expect(findFetches("In a checkout, run `npx adjutant doctor`.")).toEqual([])
  expect(findFetches("Run `npx --no-install adjutant doctor` or `adjutant doctor`.")).toEqual([])
  expect(findFetches('{ "command": "npx", "args": ["-y", "docs-mcp"] }')).toEqual([])
})

it("no page asks a reader to run whatever package npm finds under the program's name", () => {
  const pages = trackedTexts().filter(
    ({ file }) => /\.(md|yaml|yml|json)$/.test(file) && !/^(package|test\/)/.test(file),
  )
  expect(pages.map(({ file }) => file)).toContain("docs/delegate-from-a-coding-assistant.md")
  expect(pages.flatMap(({ file, text }) => findFetches(text).map((found) => `${file}: ${found}`))).toEqual([])
})
