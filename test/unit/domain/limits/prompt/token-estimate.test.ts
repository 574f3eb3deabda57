import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { estimateTokens } from "../../../../../domain/limits/prompt/token-estimate.ts"

/** Characters of each token that the estimate finds. */
const perToken = (text: string): number => text.length / estimateTokens(text)

describe("estimateTokens", () => {
  it.each([
    ["English", "The quick brown fox jumps over the lazy dog, and nobody is surprised. ".repeat(20), 3.5, 6],
    ["code", readFileSync(new URL(import.meta.url), "utf8"), 2.5, 5],
    ["Chinese", "模型服务器网关代理密钥价格".repeat(40), 0.6, 1.7],
    ["Japanese", "これはテストのための文章です。".repeat(40), 0.6, 1.7],
    ["Korean", "이것은 시험을 위한 문장입니다. ".repeat(40), 0.6, 2.5],
    ["encoded data", Buffer.from("any bytes at all, as they come".repeat(40)).toString("base64"), 1.3, 4],
  ])("is near the truth for %s", (_what, text, least, most) => {
    expect(perToken(text)).toBeGreaterThan(least)
    expect(perToken(text)).toBeLessThan(most)
  })

  it("finds none in an empty text, and scales with a text that is too long to be measured", () => {
    expect(estimateTokens("")).toBe(0)
    const page = "some words and a number 123 in a line\n".repeat(5_000)
    expect(estimateTokens(page.repeat(5)) / estimateTokens(page)).toBeCloseTo(5, 1)
  })
})
