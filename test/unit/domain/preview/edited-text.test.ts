import { describe, expect, it } from "vitest"
import { editedTextsOf, withEditedTexts } from "../../../../domain/preview/edited-text.ts"

const edits = [
  { old_string: "a", new_string: "b\n", replace_all: true },
  { old_string: "c", new_string: "d" },
]
const call = { name: "MultiEdit", arguments: { file_path: "a.ts", edits } }

describe("what a person edits of a call", () => {
  it("is each new text of several edits, and what it is called", () => {
    expect(editedTextsOf(call)).toEqual([
      { path: "edits.0.new_string", label: "new text 1 of 2", text: "b\n" },
      { path: "edits.1.new_string", label: "new text 2 of 2", text: "d" },
    ])
  })

  it.each([
    ["Write", { content: "x" }, "content"],
    ["Edit", { new_string: "x" }, "new text"],
    ["Bash", { command: "x" }, "command"],
    ["MultiEdit", { edits: [{ new_string: "x" }] }, "new text"],
  ])("is one text of %s", (name, args, label) => {
    expect(editedTextsOf({ name, arguments: args }).map((each) => [each.label, each.text])).toEqual([[label, "x"]])
  })

  it.each([
    ["a tool without such a text", "Read", { file_path: "a.ts" }],
    ["a text that is none", "Write", { content: 1 }],
    [
      "a text with hidden characters, next to one without",
      "MultiEdit",
      { edits: [...edits, { new_string: "\u202e" }] },
    ],
    ["edits that are no list", "MultiEdit", { edits: "all" }],
  ])("is all its arguments, as JSON, for %s", (_name, name, args) => {
    expect(editedTextsOf({ name, arguments: args })).toEqual([])
  })

  it("changes the texts alone, without a line break that an editor adds", () => {
    const written = [
      { path: "edits.0.new_string", text: "B\n" },
      { path: "edits.1.new_string", text: "D\n" },
    ]
    expect(withEditedTexts(call.arguments, written)).toEqual({
      file_path: "a.ts",
      edits: [
        { old_string: "a", new_string: "B\n", replace_all: true },
        { old_string: "c", new_string: "D" },
      ],
    })
    expect(call.arguments.edits[1]?.new_string).toBe("d")
  })
})
