import { readFileSync } from "node:fs"
import path from "node:path"
import { expect, test } from "vitest"

const root = path.resolve(import.meta.dirname, "../../..")
const read = (file: string): string => readFileSync(path.join(root, file), "utf8")

test("includes every folder that the build compiles in the image's context", () => {
  const { include } = JSON.parse(read("tsconfig.build.json")) as { include: string[] }
  const compiled = include.map((pattern) => pattern.split("/")[0])
  const copied = read(".dockerignore")
    .split("\n")
    .flatMap((line) => (line.startsWith("!") ? [line.slice(1)] : []))
  expect(copied).toEqual(expect.arrayContaining(compiled))
})
