import { expect, test } from "vitest"
import { createStatusView } from "../../../../cli/run/progress/status-view.ts"
import { noPaint } from "../../../../cli/terminal/paint.ts"
import { oneRow } from "../../../../cli/terminal/plain-text.ts"

// The status counted characters, but a terminal shows many of them two columns wide: the line was broken, and each new
// status left the old one on the screen.

const statusOf = (name: string, columns: number): string => {
  let shown = ""
  const screen = {
    isShared: false,
    isLineOpen: () => false,
    writePart: () => undefined,
    endLine: () => undefined,
    setStatus: (line: string | undefined) => void (shown = line ?? shown),
  }
  const view = createStatusView({ screen, paint: noPaint, columns: () => columns, earlierCalls: [] })
  const at = "2026-11-21T10:00:00.000Z"
  view.show({ id: 1, type: "tool-started", session_id: "abc123", run_id: "run_1", at, call_id: "a", name })
  view.end()
  return shown
}

test.each([
  ["Chinese", "写"],
  ["Hangul", "글"],
  ["an emoji", "🚀"],
])("a status with %s stays within its line", (_, character) => {
  const wide = statusOf(character.repeat(40), 20).split(character).length - 1
  // 19 columns, without the mark, its space and the ellipsis.
  expect(wide).toBeGreaterThan(4)
  expect(wide).toBeLessThanOrEqual(8)
})

test.each([
  ["abcdef", 6, "abcdef"],
  ["abcdefg", 6, "abcde…"],
  ["日本語", 6, "日本語"],
  ["日本語文", 6, "日本…"],
  ["日本語", 5, "日本…"],
  ["a日本語", 6, "a日本…"],
  ["ab日本", 6, "ab日本"],
])("%j in %i columns is %j", (text, columns, row) => expect(oneRow(text, columns)).toBe(row))
