import { describe, expect, it } from "vitest"
import { transcriptRowSchema } from "../../../../contracts/http/sessions.ts"
import { transcriptRow } from "../../../../sessions/view/transcript-row.ts"

describe("a transcript row", () => {
  it("omits data that only a provider understands, and secrets", () => {
    const row = transcriptRow(
      {
        seq: 2,
        runId: "run_1",
        step: 1,
        at: "2026-11-21T10:00:00.000Z",
        message: {
          role: "assistant",
          provider: "anthropic",
          model: "m",
          parts: [
            { type: "reasoning", text: "hm", opaque: { signature: "sig" } },
            { type: "opaque", opaque: "blob" },
            { type: "tool_call", call: { id: "c", name: "Bash", arguments: { command: "echo s3cret" } } },
          ],
          usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
          stop: "tool_calls",
        },
      },
      (text) => text.replaceAll("s3cret", "[redacted]"),
    )
    expect(row).toMatchObject({ seq: 2, run_id: "run_1", step: 1 })
    expect(transcriptRowSchema.parse(row)).toEqual(row)
    expect(JSON.stringify(row)).not.toMatch(/sig|blob|s3cret|fence/)
    expect(JSON.stringify(row)).toContain("echo [redacted]")
  })
})
