import { describe, expect, it } from "vitest"
import { createClosers } from "../../../cli/host/closers.ts"
import { exitCodeOfError, exitCodeOfOutcome, exitCodeOfSignal } from "../../../cli/terminal/exit-code.ts"
import { createLogger } from "../../../cli/program/logger.ts"
import { transcriptRowSchema } from "../../../contracts/http/sessions.ts"
import { transcriptRow } from "../../../sessions/view/transcript-row.ts"
import { AdjutantError } from "../../../contracts/adjutant-error.ts"
import { completed, failed, paused } from "./stub-environment.ts"

describe("exit codes", () => {
  it("follow the outcome, the error table and the signal", () => {
    expect([completed, failed, paused].map(exitCodeOfOutcome)).toEqual([0, 1, 10])
    expect(exitCodeOfError(new AdjutantError("checkpoint_stale", ""))).toBe(2)
    expect(exitCodeOfError(new AdjutantError("temporal_unavailable", ""))).toBe(1)
    expect(exitCodeOfError(new TypeError("bug"))).toBe(1)
    expect((["SIGHUP", "SIGINT", "SIGTERM"] as const).map(exitCodeOfSignal)).toEqual([129, 130, 143])
  })
})

describe("closers", () => {
  it("run in reverse order, once, and continue after an error", async () => {
    const closed: string[] = []
    const closers = createClosers()
    closers.add(async () => void closed.push("server"))
    closers.add(async () => Promise.reject(new Error("broken")))
    closers.add(async () => void closed.push("client"))
    await expect(closers.closeAll()).rejects.toThrow("broken")
    await closers.closeAll().catch(() => undefined)
    expect(closed).toEqual(["client", "server"])
  })

  it("run at once if they are added after closing", async () => {
    const closers = createClosers()
    await closers.closeAll()
    const late = Promise.withResolvers<void>()
    closers.add(async () => late.resolve())
    await late.promise
  })
})

describe("the logger", () => {
  const logged = (verbose: boolean, format: "lines" | "json") => {
    let text = ""
    const logger = createLogger({
      sink: { write: (piece) => void (text += piece) },
      verbose,
      format,
      redact: (line) => line.replaceAll("s3cret", "[redacted]"),
    })
    logger.info("quiet")
    logger.warn({ key: "s3cret", err: new Error("s3cret too") }, "careful\u001b[1m")
    return text
  }

  it("shows only warnings unless verbose, readable and without secrets or control characters", () => {
    expect(logged(false, "lines")).toBe("warning: careful[1m (key=[redacted], err=[redacted] too)\n")
    expect(logged(true, "lines")).toContain("info: quiet")
  })

  it("writes JSON lines for log collectors", () => {
    expect(JSON.parse(logged(false, "json"))).toMatchObject({ level: 40, key: "[redacted]" })
  })
})

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
