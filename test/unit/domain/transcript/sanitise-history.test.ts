import { describe, expect, it } from "vitest"
import { omittedRowText, sanitiseHistory, type HistoryRow } from "../../../../domain/transcript/sanitise-history.ts"

const row = (seq: number, text: string, more: Partial<HistoryRow> = {}): HistoryRow => ({
  seq,
  role: "assistant",
  text,
  ...more,
})

describe("sanitiseHistory", () => {
  it("includes tools only on request", () => {
    const rows = [
      row(1, "look", { calls: [{ id: "c1", name: "Read", arguments: '{"file_path":"a"}' }] }),
      row(2, "contents", { role: "tool", tool: "Read" }),
      row(3, "found"),
    ]
    expect(sanitiseHistory(rows).rows.map((each) => [each.seq, each.calls])).toEqual([
      [1, undefined],
      [3, undefined],
    ])
    const withTools = sanitiseHistory(rows, { includeTools: true }).rows
    expect(withTools.map((each) => each.seq)).toEqual([1, 2, 3])
    expect(withTools[0]?.calls?.[0]?.name).toBe("Read")
  })

  it("keeps the newest rows, and counts the omitted ones", () => {
    const rows = Array.from({ length: 10 }, (_, index) => row(index + 1, `row ${index + 1}`))
    expect(sanitiseHistory(rows, { limit: 3 })).toMatchObject({
      rows: [{ seq: 8 }, { seq: 9 }, { seq: 10 }],
      omitted: 7,
    })
  })

  it("replaces a row that is too large, and shortens a long one", () => {
    const rows = [row(1, "x".repeat(1_000)), row(2, "y".repeat(150))]
    const shown = sanitiseHistory(rows, { maxRowChars: 500, maxBlockChars: 100 }).rows
    expect(shown[0]?.text).toBe(omittedRowText)
    expect(shown[0]?.text).toBe("[sessions_history omitted: message too large]")
    expect(shown[1]?.text).toMatch(/^y+\n\[cut: 150 characters in all\]$/)
  })

  it("drops older rows if all together are too large", () => {
    const rows = [row(1, "a".repeat(60)), row(2, "b".repeat(60)), row(3, "c".repeat(60))]
    expect(sanitiseHistory(rows, { maxTotalChars: 130 })).toMatchObject({ rows: [{ seq: 2 }, { seq: 3 }], omitted: 1 })
  })

  it("cleans every row, including arguments of calls", () => {
    const rows = [
      row(1, "<think>no</think>yes", { calls: [{ id: "c", name: "Bash", arguments: "curl -H token=abcdefghijkl" }] }),
    ]
    expect(sanitiseHistory(rows, { includeTools: true }).rows).toEqual([
      row(1, "yes", { calls: [{ id: "c", name: "Bash", arguments: "curl -H token=[redacted]" }] }),
    ])
  })
})
