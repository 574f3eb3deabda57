import { describe, expect, it } from "vitest"
import { callPreviewSchema } from "../../../../contracts/approval/call-preview.ts"
import { argumentPreview } from "../../../../domain/preview/argument-preview.ts"
import { boundPreview, previewLimit } from "../../../../domain/preview/bound-preview.ts"
import { previewLine, previewLines } from "../../../../domain/preview/preview-lines.ts"

describe("the preview of a call by its arguments", () => {
  it("shows a command as it would run, and the arguments that are not the default", () => {
    const preview = argumentPreview({
      name: "Bash",
      arguments: { command: "npm test\nrm x", description: "harmless", timeout_ms: 5_000, run_in_background: true },
    })
    expect(preview).toEqual({
      summary: "Bash npm test ⏎ rm x",
      text: "npm test\nrm x",
      flags: ['the agent\'s words: "harmless"', "timeout_ms: 5000", "run_in_background: true"],
    })
  })

  it("lists replace_all of each edit, and no argument that has its default", () => {
    const flags = (name: string, args: Record<string, unknown>) => argumentPreview({ name, arguments: args }).flags
    const change = { old_string: "a", new_string: "b" }
    expect(flags("Edit", { file_path: "a", ...change, replace_all: true })).toEqual(["replace_all: true"])
    expect(flags("Edit", { file_path: "a", ...change, replace_all: false })).toEqual([])
    expect(flags("MultiEdit", { file_path: "a", edits: [change, { ...change, replace_all: true }] })).toEqual([
      "edit 2: replace_all: true",
    ])
  })

  it("shows every argument of other tools, those of MCP servers among them", () => {
    const preview = argumentPreview({
      name: "mcp__docs__publish",
      arguments: { title: "News", body: "one\ntwo", tags: ["a"] },
    })
    expect(preview.summary).toBe('mcp__docs__publish title: News, body: one ⏎ two, tags: ["a"]')
    expect(argumentPreview({ name: "mcp__sums__get", arguments: { a: 119.9, b: 2 } }).summary).toBe(
      "mcp__sums__get a: 119.9, b: 2",
    )
  })

  it("names a long command in short: the text below has all of it", () => {
    const command = "x".repeat(300)
    const { summary, text } = argumentPreview({ name: "Bash", arguments: { command } })
    expect(Array.from(summary)).toHaveLength(100)
    expect(text).toBe(command)
  })

  it("writes multi-line arguments of other tools on lines of their own", () => {
    const preview = argumentPreview({
      name: "mcp__docs__publish",
      arguments: { title: "News", body: "one\ntwo", tags: ["a"] },
    })
    expect(preview.text).toBe('title: News\nbody:\n  one\n  two\ntags:\n  [\n    "a"\n  ]')
  })

  it("writes out characters that a screen hides, in the summary and in the text", () => {
    const preview = argumentPreview({ name: "Bash", arguments: { command: "echo \u202egnp.exe\u001b[2K\u{e0041}" } })
    expect(preview.text).toBe("echo \\u202egnp.exe\\u001b[2K\\udb40\\udc41")
    expect(preview.summary).toContain("\\u202e")
  })
})

describe("the bounds of a preview", () => {
  it("cut a long text at a line, say so, and leave a short one unchanged", () => {
    const text = Array.from({ length: 10_000 }, (_, index) => `line ${index}`).join("\n")
    const bounded = boundPreview({ summary: "s", text, flags: [] }, 2_000)
    expect(bounded.is_cut).toBe(true)
    expect(bounded.text?.length).toBeLessThan(2_100)
    expect(bounded.text).toMatch(/line \d+\n… \(cut: \d+ more lines, \d+ characters in all\)$/)
    const short = { summary: "s", diff: "+a\n", flags: ["x"] }
    expect(boundPreview(short, 2_000)).toEqual(short)
  })

  it("share a limit among the calls of a pause", () => {
    expect(previewLimit(1)).toBe(16_000)
    expect(previewLimit(64) * 64).toBeLessThanOrEqual(128_000)
  })
})

describe("a preview as text", () => {
  const preview = callPreviewSchema.parse({
    summary: "Write .envrc (new file, +1 −0)",
    diff: "--- /dev/null\n+++ .envrc\n",
    flags: ["timeout_ms: 1"],
    protected_path: ".envrc",
    asked_again: "a.txt was changed",
    confined: false,
  })

  it("begins with what an approver should notice", () => {
    expect(previewLines(preview)).toEqual([
      "! asked again: a.txt was changed",
      "! changes the protected path .envrc",
      "! timeout_ms: 1",
      "--- /dev/null",
      "+++ .envrc",
    ])
  })

  it("fits on one line for the engine's UI", () => {
    expect(previewLine(preview)).toBe(
      "Write .envrc (new file, +1 −0) · asked again: a.txt was changed · protected: .envrc · not confined",
    )
  })
})
