import { describe, expect, it } from "vitest"
import { callParts, callTitle, diffOf } from "../../../../web/shown/call-parts.ts"

// The page showed neither `replace_all` of an edit nor `timeout_ms` and `run_in_background` of a command, and of
// a path only its first line.

const shown = (name: string, args: Record<string, unknown>): string => {
  const call = { name, arguments: args }
  return [callTitle(call), ...callParts(call).map(({ text }) => text)].join("\n")
}

const edit = { old_string: "a", new_string: "b" }

describe("a card of the page", () => {
  it.each<[string, Record<string, unknown>, readonly string[]]>([
    ["Edit", { file_path: "a.txt", ...edit, replace_all: true }, ["a.txt", '"replace_all": true']],
    ["MultiEdit", { file_path: "a.txt", edits: [edit, { ...edit, replace_all: true }] }, ['"replace_all": true']],
    ["MultiEdit", { file_path: "a.txt", edits: ["text"] }, ['"text"']],
    [
      "Bash",
      { command: "sleep 1", description: "Nap", timeout_ms: 600_000, run_in_background: true },
      ["sleep 1", "Nap", '"timeout_ms": 600000', '"run_in_background": true'],
    ],
    ["Write", { file_path: "a.txt\n../b.txt", content: "text" }, ["a.txt\\n../b.txt", "text"]],
    ["Write", { file_path: "a.txt", content: "text", mode: "0777" }, ['"mode": "0777"']],
    ["Write", { file_path: "a.txt", content: { not: "a text" } }, ['"not": "a text"']],
    ["mcp__mail__send", { description: "harmless", to: "all", body: "text" }, ["harmless", '"to": "all"', "text"]],
    ["mcp__mail__send", { description: "d".repeat(300), to: "all" }, ["d".repeat(300), '"to": "all"']],
    ["Bash", { command: "ls", file_path: "x", path: "y" }, ["ls", "x", '"path": "y"']],
  ])("shows every argument of %s %j", (name, args, texts) => {
    const text = shown(name, args)
    for (const each of texts) expect(text).toContain(each)
  })
})

it.each<[string, Record<string, unknown>]>([
  ["Bash", { command: "make \u202etset\u200b" }],
  ["Write", { file_path: "a.txt", content: "make \u202etset\u200b" }],
  ["Edit", { file_path: "a.txt", old_string: "b", new_string: "make \u202etset\u200b" }],
  ["MultiEdit", { file_path: "a.txt", edits: [{ old_string: "b", new_string: "make \u202etset\u200b" }] }],
  ["apply_patch", { patch: "make \u202etset\u200b" }],
  ["mcp__mail__send", { body: "make \u202etset\u200b" }],
])("a card shows the hidden characters of %s", (name, args) => {
  const parts = callParts({ name, arguments: args }).map(({ text }) => text)
  expect(parts.join("\n")).toContain("make \\u202etset\\u200b")
})

describe("the title of a call", () => {
  it.each([
    [{ command: "make check" }, "Bash make check"],
    [{ command: "cd web\nmake" }, "Bash cd web …"],
    [{ command: "x".repeat(200) }, `Bash ${"x".repeat(100)} …`],
    [{ command: "make", description: "Build it" }, "Bash Build it"],
    [{}, "Bash"],
  ])("says what %j does", (args, title) => {
    expect(callTitle({ name: "Bash", arguments: args })).toBe(title)
  })
})

describe("a diff", () => {
  it("shows three lines around a change, and whole texts where one side is empty", () => {
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`)
    const after = lines.with(10, "changed").join("\n")
    expect(diffOf(lines.join("\n"), after).split("\n")).toEqual([
      ...[" line 7", " line 8", " line 9"],
      ...["-line 10", "+changed"],
      ...[" line 11", " line 12", " line 13"],
    ])
    expect(diffOf("", "a\nb\n")).toBe("+a\n+b")
    expect(diffOf("a", "")).toBe("-a")
  })
})
