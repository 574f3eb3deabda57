import { spawnSync } from "node:child_process"
import { describe, expect, it } from "vitest"
import { trackedTexts } from "../../../scripts/checks/tracked-texts.ts"
import { testWith } from "../../helpers/needs.ts"
import {
  commandsOf,
  comparable,
  type Exception,
  idsInstead,
  unusedExceptions,
  withoutExceptions,
} from "./page-commands.ts"
import { openPageShell } from "./page-shell.ts"

/** Lines that are not run. Each must be in its page. */
const exceptions: readonly Exception[] = [
  {
    page: "README.md",
    command: "npm ci && npm run demo",
    reason: "installs from the npm registry; test/e2e/cli/demo.deep.test.ts runs the demo",
  },
  {
    page: "README.md",
    command: "npm ci && npm test",
    reason: "installs from the npm registry, and runs all tests",
  },
  {
    page: "README.md",
    command: "npm pack",
    reason: "needs the checkout; test/e2e/package.deep.test.ts builds and installs the package",
  },
  {
    page: "README.md",
    command: "npm install --global ./adjutant-0.1.0.tgz",
    reason: "installs from the npm registry, for all users of the machine",
  },
  {
    page: "docs/operate.md",
    command: "adjutant service install",
    reason: "asks at a terminal; test/unit/service/systemd-unit.test.ts checks the unit",
  },
  {
    page: "docs/operate.md",
    command: "adjutant move ../old-name",
    reason: "needs another project; test/e2e/cli/move.deep.test.ts moves one",
  },
]

/** Commands that a page describes in its prose, before the block that contains a text. */
const preparations = [
  {
    page: "README.md",
    before: "http://127.0.0.1:7420/v1",
    code: "adjutant service stop > /dev/null\nadjutant dev &\nuntil curl --silent --fail http://127.0.0.1:7420/readyz > /dev/null; do sleep 0.2; done\n",
  },
]

const pages = trackedTexts().filter(({ file }) => file === "README.md" || /^docs\/[^/]+\.md$/.test(file))
const commandsOfPage = (page: string) => commandsOf(pages.find(({ file }) => file === page)?.text ?? "")
const runnable = pages
  .map(({ file }) => ({
    file,
    blocks: withoutExceptions(
      commandsOfPage(file),
      exceptions.filter(({ page }) => page === file),
    ),
  }))
  .filter(({ blocks }) => blocks.length > 0)

describe("reading a page", () => {
  it("finds the commands with their outputs", () => {
    const page =
      "# A\n\n```sh\nadjutant list\n```\n\n```text\nNo tasks.\n```\n\nMore:\n\n```sh\na\nb\n```\n\nIt prints\n\n```text\n$ x\none\n$ y \\\n  z\n```\n"
    expect(commandsOf(page)).toEqual([
      { line: 4, code: "adjutant list\n", output: "No tasks." },
      { line: 14, code: "a\nb\n", output: undefined },
      { line: 21, code: "x\n", output: "one" },
      { line: 23, code: "y \\\n  z\n", output: "" },
    ])
  })

  it("leaves out excepted lines and reports exceptions that are not in the page", () => {
    const except = (command: string): Exception => ({ page: "p", command, reason: "none" })
    const commands = commandsOf("```sh\na \\\n  --x   # why\nb\n```\n\n```sh\na --x\n```\n")
    expect(withoutExceptions(commands, [except("a --x")])).toEqual([{ line: 2, code: "b\n", output: undefined }])
    expect(unusedExceptions([except("a --x"), except("c")], () => commands)).toEqual([except("c")])
  })

  it("compares outputs without what differs from run to run", () => {
    const recorded = "Task abc123 is paused\nrun -c cp_one at 127.0.0.1:1 for 3m"
    const printed = "Task xyz789 is paused\nrun -c cp_two at 127.0.0.1:2 for 4s\n"
    expect(comparable(printed)).toBe(comparable(recorded))
    expect(comparable(printed)).not.toBe(comparable(recorded.replace("paused", "ended")))
    expect([...idsInstead(recorded, printed)]).toEqual([
      ["abc123", "xyz789"],
      ["cp_one", "cp_two"],
    ])
  })
})

const isHere = (program: string, ...args: readonly string[]): boolean => spawnSync(program, args).status === 0
const needs = [
  { name: "bash", isAvailable: isHere("bash", "--version") },
  { name: "curl", isAvailable: isHere("curl", "--version") },
  { name: "jq", isAvailable: isHere("jq", "--version") },
]

const blockTimeoutMs = 180_000

describe("commands of the pages", () => {
  it("are excepted only where the page still has them", () => {
    expect(unusedExceptions(exceptions, commandsOfPage)).toEqual([])
    expect(
      preparations.filter(({ page, before }) => !commandsOfPage(page).some(({ code }) => code.includes(before))),
    ).toEqual([])
  })

  for (const { file, blocks } of runnable)
    testWith(needs, `of ${file} succeed and print what the page shows`, async () => {
      await using shell = await openPageShell(blockTimeoutMs)
      const instead = new Map<string, string>()
      for (const { line, code, output } of blocks) {
        for (const { page, before, code: preparation } of preparations)
          if (page === file && code.includes(before)) await shell.run(preparation)
        const current = [...instead].reduce((text, [id, other]) => text.replaceAll(id, other), code)
        const printed = await shell.run(current)
        // A command that shows its exit code can fail or pause, but must be a correct one.
        expect(printed, `${file}:${line}`).not.toMatch(/^exit 2$/m)
        if (output === undefined) continue
        expect(comparable(printed), `${file}:${line}`).toBe(comparable(output))
        for (const [id, other] of idsInstead(output, printed)) instead.set(id, other)
      }
    })
})
