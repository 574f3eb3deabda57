import { describe, expect, it } from "vitest"
import { createLogger } from "../../../../cli/program/logger.ts"

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
