import { describe, expect, it } from "vitest"
import {
  commandPatternProblem,
  matchesCommand,
  matchesPath,
  matchesText,
} from "../../../../domain/approval/grant-patterns.ts"

describe("a pattern for a path", () => {
  it.each([
    ["docs/*.md", "docs/a.md", true],
    ["docs/*.md", "docs/deep/a.md", false],
    ["docs/**", "docs/deep/a.md", true],
    ["docs/**", "docsecret/a.md", false],
    ["./docs/?.md", "docs/a.md", true],
    ["docs/?.md", "docs//md", false],
    ["**", ".", true],
    ["docs/[ab].md", "docs/a.md", false],
    ["docs/(a|b).md", "docs/a.md", false],
  ])("%s matches %s: %s", (pattern, path, isMatch) => {
    expect(matchesPath(pattern, path)).toBe(isMatch)
  })
})

describe("a pattern for a text", () => {
  it("stays inside one line with one star, and matches anything with two", () => {
    expect(matchesText("to-*", "to-mia")).toBe(true)
    expect(matchesText("to-*", "to-mia\nbcc: eve")).toBe(false)
    expect(matchesText("to-**", "to-mia\nbcc: eve")).toBe(true)
    expect(matchesText("", "")).toBe(true)
    expect(matchesText("a", "")).toBe(false)
  })

  it("does not take longer with many stars", () => {
    expect(matchesText(`${"*a".repeat(200)}b`, "a".repeat(20_000))).toBe(false)
    expect(matchesText("**", "a".repeat(40_000))).toBe(false)
  })
})

describe("a pattern for a command", () => {
  it("is its exact text", () => {
    expect(matchesCommand("npm test", "npm test")).toBe(true)
    expect(matchesCommand("echo 'a; b' > out.txt", "echo 'a; b' > out.txt")).toBe(true)
    for (const other of ["npm test ", " npm test", "npm test -- x", "npm test;id", "npm test\n"])
      expect(matchesCommand("npm test", other)).toBe(false)
  })

  it("can be the first words, followed by plain words", () => {
    for (const command of ["git status", "git status -s", "git status --porcelain=v2 src/a.ts"])
      expect(matchesCommand("git status *", command)).toBe(true)
    for (const command of ["git statusx", "git", "git stash", "GIT status"])
      expect(matchesCommand("git status *", command)).toBe(false)
  })

  it.each([
    "git status; rm -rf x",
    "git status && rm -rf x",
    "git status || rm x",
    "git status | sh",
    "git status & rm x",
    "git status\nrm -rf x",
    "git status\r\nrm -rf x",
    "git status\u2028rm x",
    "git status $(rm x)",
    "git status `rm x`",
    "git status ${PATH}",
    "git status > ~/.bashrc",
    "git status < /etc/passwd",
    "git status >(rm x)",
    "git status <(rm x)",
    "git status 2>&1",
    "git status {a,b}",
    "git status *",
    "git status a?",
    "git status [a]",
    "git status ~/x",
    "git status !!",
    "git status # comment",
    "git status \\\nrm x",
    'git status "a"',
    "git status 'a'",
    "git status\trm",
    "git status (rm x)",
    "git status \u0000rm",
    "git status ；rm",
  ])("does not match a command that composes others or expands anything: %j", (command) => {
    expect(matchesCommand("git status *", command)).toBe(false)
  })

  it.each(["git status*", " *", "*", "git status; *", "echo $( *", 'sh -c " *', "cat < *"])(
    "is refused if its end is open to anything: %s",
    (pattern) => {
      expect(commandPatternProblem(pattern)).toBeDefined()
      expect(matchesCommand(pattern, pattern.replace("*", "x"))).toBe(false)
    },
  )
})

describe("a pattern that would take long", () => {
  it("matches nothing: its characters times those of the text are bounded", () => {
    const pattern = "**a".repeat(300)
    expect(matchesText(pattern, "a".repeat(300))).toBe(true)
    expect(matchesText(pattern, "a".repeat(30_000))).toBe(false)
    expect(matchesText("**", "a".repeat(30_000))).toBe(true)
  })
})
