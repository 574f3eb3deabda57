import { expect, test } from "vitest"
import { oneTerminalRow } from "../../../../cli/terminal/plain-text.ts"

// A terminal shows many characters two columns wide.
test.each([
  ["abcdef", 6, "abcdef"],
  ["abcdefg", 6, "abcde…"],
  ["日本語", 6, "日本語"],
  ["日本語文", 6, "日本…"],
  ["日本語", 5, "日本…"],
  ["a日本語", 6, "a日本…"],
  ["ab日本", 6, "ab日本"],
])("%j in %i columns is %j", (text, columns, row) => expect(oneTerminalRow(text, columns)).toBe(row))
