import { existsSync, readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { cutOutput } from "../../../tools/cut-output.ts"
import { read } from "../../../tools/files/read.ts"
import { sandboxEnvironment, toolEnvironment } from "../../../tools/tool-environment.ts"
import { call, createWorkspace } from "./workspace.ts"

test("a short text is returned unchanged and leaves no file", async () => {
  const { context } = createWorkspace()
  expect(await cutOutput("short", { spillDir: context.spillDir, name: "x", maxCharacters: 5 })).toBe("short")
  expect(existsSync(context.spillDir)).toBe(false)
})

test("a long text loses its middle, and Read can read the whole text", async () => {
  const { context } = createWorkspace()
  const text = `start${"😀".repeat(50)}end`
  const cut = await cutOutput(text, { spillDir: context.spillDir, name: "x", maxCharacters: 20 })
  expect(cut).toMatch(/^start.*[^\uD800-\uDBFF]\n\n\[… \d+ characters left out here/u)
  expect(cut.isWellFormed()).toBe(true)
  expect(cut.endsWith("end")).toBe(true)
  const file = /whole output is in (\S+):/.exec(cut)?.[1] ?? ""
  expect(readFileSync(file, "utf8")).toBe(text)
  expect((await call(read, { file_path: file }, context)).content).toContain(text)
})

test("processes receive only the listed variables", () => {
  const env = { PATH: "/bin", LANG: "C", SECRET: "x", BAD: "a\0b" }
  expect(toolEnvironment(env, ["PATH", "LANG", "MISSING", "BAD", "constructor"])).toEqual({ PATH: "/bin", LANG: "C" })
  expect(toolEnvironment({ SECRET: "x" }, []).PATH).toContain("/usr/bin")
})

test("each sandbox has its own home", () => {
  expect(sandboxEnvironment({ HOME: "/home/me", LANG: "C" })).toEqual({ HOME: "/tmp", TMPDIR: "/tmp", LANG: "C" })
})
