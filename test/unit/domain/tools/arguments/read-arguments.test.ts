import { isDeepStrictEqual } from "node:util"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { builtinInputSchemas } from "../../../../../contracts/tool-input.ts"
import { sessionsSpawnInputSchema } from "../../../../../contracts/delegation/sessions-input.ts"
import { readArguments } from "../../../../../domain/tools/arguments/read-arguments.ts"

const builtin = (name: string) => ({
  name,
  inputSchema: z.toJSONSchema(builtinInputSchemas[name] ?? z.never(), { io: "input" }),
})

const foreign = (properties: Record<string, unknown>, rest: Record<string, unknown> = {}) => ({
  name: "mcp__s__t",
  inputSchema: { type: "object", properties, ...rest },
})

const edits = [{ old_string: "a", new_string: "b" }]

describe("readArguments", () => {
  it.each([
    ["Read", { path: "a.txt" }, { file_path: "a.txt" }],
    ["Read", { file_path: "a", offset: "1" }, { file_path: "a", offset: 1 }],
    ["Read", { file_path: "a", offset: null, limit: "" }, { file_path: "a" }],
    ["Read", { path: "a", file_path: "a" }, { file_path: "a" }],
    [
      "Grep",
      { pattern: "x", output_mode: "content", "-n": true, "-i": "true", type: "ts" },
      { pattern: "x", output_mode: "content", ignore_case: true, type: "ts" },
    ],
    ["Grep", { pattern: "x", "-A": 2, "-B": "5", path: "", glob: null }, { pattern: "x", context: 5 }],
    ["Bash", { command: "ls", timeout: 60_000 }, { command: "ls", timeout_ms: 60_000 }],
    ["Bash", { command: ["ls", "-la", "it's here"] }, { command: String.raw`ls -la 'it'\''s here'` }],
    [
      "TodoWrite",
      { todos: [{ content: "a", status: "pending", activeForm: "A", id: "1", priority: "high" }] },
      { todos: [{ content: "a", status: "pending" }] },
    ],
    [
      "TodoWrite",
      { todos: '[{"content":"a","status":"pending","id":"1"}]' },
      { todos: [{ content: "a", status: "pending" }] },
    ],
    ["MultiEdit", { file_path: "a", edits: JSON.stringify(edits) }, { file_path: "a", edits }],
    ["MultiEdit", { path: "a", edits: [{ old_str: "a", newString: "b" }] }, { file_path: "a", edits }],
    [
      "Edit",
      { file_path: "a", old_string: "x", new_string: "", replace_all: "false" },
      { file_path: "a", old_string: "x", new_string: "", replace_all: false },
    ],
    ["LS", { path: null, ignore: "*.log" }, { ignore: ["*.log"] }],
    ["Read", { file_path: ["a"], offset: -1, limit: 0 }, { file_path: "a" }],
    ["Read", { paths: ["a"], start_line: 3, end_line: "9" }, { file_path: "a", offset: 3, limit: 7 }],
    ["Read", { target_file: "a", view_range: [10, -1] }, { file_path: "a", offset: 10 }],
    [
      "Read",
      { uri: "a", view_range: [10, 12], should_read_entire_file: false },
      { file_path: "a", offset: 10, limit: 3 },
    ],
    ["Read", { file_path: "a", end_line: 20 }, { file_path: "a", offset: 1, limit: 20 }],
    ["Read", { file_path: "a", start_line: 9, end_line: 3, max_lines: 5 }, { file_path: "a", offset: 9, limit: 5 }],
    [
      "Grep",
      { pattern: ["a|b", "c"], include: ["*.ts", "*.js"], paths: ["src"] },
      { pattern: "(?:a|b)|(?:c)", glob: "{*.ts,*.js}", path: "src" },
    ],
    [
      "Grep",
      { pattern: "x", output_mode: "files", head_limit: 0 },
      { pattern: "x", output_mode: "files_with_matches" },
    ],
    ["Grep", { pattern: "x", "-l": true, "-r": true }, { pattern: "x", output_mode: "files_with_matches" }],
    ["Grep", { search: "x", "-c": true, max_results: "5" }, { pattern: "x", output_mode: "count", head_limit: 5 }],
    [
      "Grep",
      { pattern: "x", case_sensitive: false, context_lines: 500 },
      { pattern: "x", ignore_case: true, context: 100 },
    ],
    ["Grep", { pattern: "x", case_sensitive: true, context: -1, regex: true }, { pattern: "x" }],
    ["Grep", { pattern: "x", type: "*.ts", "-U": true }, { pattern: "x", glob: "*.ts", multiline: true }],
    ["Grep", { pattern: "x", type: ".ts", "-C": 2 }, { pattern: "x", glob: "*.ts", context: 2 }],
    ["Glob", { patterns: ["a", "b"], path: ["src"] }, { pattern: "{a,b}", path: "src" }],
    [
      "TodoWrite",
      { plan: [{ step: "a", status: "done" }, { text: "b" }] },
      {
        todos: [
          { content: "a", status: "completed" },
          { content: "b", status: "pending" },
        ],
      },
    ],
    [
      "WebFetch",
      { link: "https://example.org/", prompt: "What is it?", max_length: "9" },
      { url: "https://example.org/", max_chars: 9 },
    ],
    ["apply_patch", { input: "*** Begin Patch" }, { patch: "*** Begin Patch" }],
  ])("reads %s %j as its schema has it", (name, written, read) => {
    const { arguments: args, ignored } = readArguments(builtin(name), written)
    expect(args).toEqual(read)
    expect(ignored).toEqual([])
    expect(builtinInputSchemas[name]?.safeParse(args).success).toBe(true)
    expect(readArguments(builtin(name), args).arguments).toEqual(read)
  })

  it("names the unknown keys of built-in tools that it leaves out, at any depth", () => {
    expect(readArguments(builtin("Bash"), { command: "ls", cwd: "/tmp" })).toEqual({
      arguments: { command: "ls" },
      ignored: ["cwd"],
    })
    const written = { todos: [{ content: "a", status: "pending", owner: "me" }] }
    expect(readArguments(builtin("TodoWrite"), written).ignored).toEqual(["todos[0].owner"])
  })

  it.each([
    ["Read", { path: "a", file_path: "b" }],
    ["Bash", { timeout: 1, timeout_ms: 2, command: "ls" }],
    ["Read", { offset: 1 }],
    ["Read", { file_paths: ["a", "b"] }],
    ["Grep", { pattern: "x", regex: "y" }],
    ["Grep", { pattern: "x", output_mode: "everything" }],
    ["Read", { file_path: "a", offset: "one" }],
    ["Edit", { file_path: "a", old_string: null, new_string: "" }],
    ["TodoWrite", { todos: "not a list" }],
    ["Bash", { command: [] }],
  ])("leaves %s %j to be refused", (name, written) => {
    const { arguments: args } = readArguments(builtin(name), written)
    expect(builtinInputSchemas[name]?.safeParse(args).success).toBe(false)
  })

  it("reads the arguments of other tools by their own schemas, and leaves nothing out", () => {
    const tool = foreign(
      {
        count: { type: "integer" },
        note: { type: "string" },
        parent: { type: ["string", "null"] },
        mode: { enum: ["a", "b"] },
        tags: { type: "array", items: { type: "number" } },
        where: { $ref: "#/$defs/where" },
        either: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
      },
      { $defs: { where: { type: "object", properties: { on: { type: "boolean" } } } }, required: ["count"] },
    )
    const written = {
      count: "3",
      note: "",
      parent: null,
      mode: "",
      tags: '["1", 2]',
      where: '{"on":"true"}',
      either: "[x]",
      odd: null,
    }
    expect(readArguments(tool, written)).toEqual({
      arguments: { count: 3, note: "", parent: null, tags: [1, 2], where: { on: true }, either: "[x]", odd: null },
      ignored: [],
    })
  })

  it("keeps the unknown keys of delegation tools, which refuse them", () => {
    const tool = { name: "sessions_spawn", inputSchema: z.toJSONSchema(sessionsSpawnInputSchema, { io: "input" }) }
    const { arguments: args } = readArguments(tool, { task: "x", runTimeoutSeconds: "60", maxCost: 1, label: null })
    expect(args).toEqual({ task: "x", runTimeoutSeconds: 60, maxCost: 1 })
  })

  it("changes nothing that fits already, and never throws", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.constantFrom("Read", "Grep", "TodoWrite"),
        (args, name) => {
          const { arguments: read } = readArguments(builtin(name), args)
          if (!isDeepStrictEqual(readArguments(builtin(name), read).arguments, read)) return false
          return builtinInputSchemas[name]?.safeParse(args).success !== true || isDeepStrictEqual(read, args)
        },
      ),
    )
  })
})
