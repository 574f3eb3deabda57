import { execFileSync } from "node:child_process"
import { expect, test } from "vitest"
import { restoringShellCommand } from "../../../../domain/workspace/planted-paths.ts"
import { bytesOfPath, diskPath, hasRawBytes, pathOfBytes, shownPath } from "../../../../tools/disk/disk-path.ts"

const names: readonly (readonly [string, readonly number[]])[] = [
  ["one byte that is never text", [0xff]],
  ["Latin-1 between letters", [0x61, 0xe9, 0x2f, 0x62]],
  ["a character that is cut", [0xe2, 0x82]],
  ["a surrogate", [0xed, 0xb3, 0xbf]],
  ["too many bytes for a character", [0xc0, 0xaf, 0xf0, 0x80, 0x80, 0xaf]],
  ["beyond Unicode", [0xf4, 0x90, 0x80, 0x80]],
  ["a byte before an emoji", [0xff, 0xf0, 0x9f, 0x98, 0x80, 0xfe]],
]

test.each(names)("a name with %s keeps its bytes", (_, bytes) => {
  const path = pathOfBytes(Buffer.from(bytes))
  expect(hasRawBytes(path)).toBe(true)
  expect([...bytesOfPath(path)]).toEqual(bytes)
  expect([...bytesOfPath(JSON.parse(JSON.stringify(path)))]).toEqual(bytes)
  expect(shownPath(path).isWellFormed()).toBe(true)
})

test("a name of characters is the path itself, also with the sign of replacement", () => {
  for (const name of ["a/ä/😀", "\uFFFD", "\uFEFFx"]) {
    expect(pathOfBytes(Buffer.from(name))).toBe(name)
    expect(diskPath(name)).toBe(name)
    expect(shownPath(name)).toBe(name)
  }
})

test("the command that puts a file back names its bytes", () => {
  const path = pathOfBytes(Buffer.from([0x61, 0x27, 0xff, 0x20]))
  const command = restoringShellCommand("x", path).replace(/^mv -f --/, "printf '%s|'")
  expect(command.isWellFormed()).toBe(true)
  expect(execFileSync("bash", ["-c", command]).toString("latin1")).toBe("x|a'\xff |")
})
