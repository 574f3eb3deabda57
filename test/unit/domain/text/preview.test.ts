import { expect, it } from "vitest"
import { aboutOf, callPreview } from "../../../../domain/text/preview.ts"

const longFile = { content: "x".repeat(500), file_path: "a.ts" }

it.each([
  [{ file_path: "src/a.ts", offset: 3 }, "src/a.ts"],
  [{ offset: 3, path: "src" }, "src"],
  [{ command: 'echo "a"\nmake \\' }, 'echo "a"\nmake \\'],
  [{ command: "x".repeat(300) }, "x".repeat(188)],
  [{ content: '{"file_path":"not this"}', command: "ls" }, "ls"],
  [{ a: 119.9, b: 2 }, '{"a":119.9,"b":2}'],
  [{ file_path: 3 }, '{"file_path":3}'],
  [longFile, callPreview(JSON.stringify(longFile))],
])("the preview of %j says that the call is about %j", (args, about) => {
  expect(aboutOf(callPreview(JSON.stringify(args)))).toBe(about)
})
