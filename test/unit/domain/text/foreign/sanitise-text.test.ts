import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { sanitiseText } from "../../../../../domain/text/foreign/sanitise-text.ts"
import { growthOf, mostGrowth } from "../../../../helpers/growth.ts"

const clean = (text: string, maxChars = 10_000): string => sanitiseText(text, maxChars)

const pieces = [
  "<think>",
  "</think>",
  "<thinking>",
  "</thinking>",
  "<tool_call>",
  "</tool_call>",
  "<function_calls>",
  "<invoke name='x'>",
  "<minimax:tool_call>",
  "<relevant-memories>",
  "</relevant_memories>",
  "<|assistant|>",
  "<|a|>",
  "<|",
  "|>",
  "<",
  ">",
  "/",
  "[Tool Call: x]",
  "[Historical context: y]",
  "\n",
  "\n\n",
  " ",
  "sk-",
  "abcdefghijklmnopqrstu",
  "token=",
  "password: ",
  "[redacted]",
  "Bearer ",
  "-----BEGIN PRIVATE KEY-----",
  "://u:",
  "@",
  "😀",
  "hello",
  "\uD83D",
  "tool_",
  "call",
  "thi",
  "nk",
]
const nasty = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 40 })
  .map((parts) => parts.join(""))

describe("sanitiseText", () => {
  it.each([
    ["thinking", "<think>plan</think>Answer", "Answer"],
    ["thinking in another spelling", "a <THINKING lang='x'>b</thinking> c", "a  c"],
    ["thinking that never ends", "Answer <think>and then", "Answer"],
    ["memories", "<relevant-memories>m</relevant-memories>x<relevant_memories>n</relevant_memories>y", "xy"],
    ["a tool call", 'Before <tool_call>{"a":1}</tool_call> after', "Before  after"],
    ["function calls", "x<function_calls><invoke name='a'><b>1</b></invoke></function_calls>y", "xy"],
    ["a truncated tool call", 'Done. <tool_call>{"name": "Bash", "argu', "Done."],
    ["a truncated tag", 'Done. <function_call name="Ba', "Done."],
    ["calls with a namespace", "a<minimax:tool_call><invoke name='x'></invoke></minimax:tool_call>b", "ab"],
    ["an unmatched closing tag", "a</tool_call>b</think>c", "abc"],
    ["control tokens", "<|assistant|>hi<|im_end|>", "hi"],
    ["full-width control tokens", "<|begin▁of▁sentence|>hi<|end|>", "hi"],
    ["flattened calls", "One\n[Tool Call: Read (ID: 1)]\nArguments: {}\n\nTwo", "One\n\nTwo"],
    [
      "a flattened call inside of a line",
      'One. [Historical context: a different model called tool "read" with arguments: {\n  "path": ["a]"]\n}. Do not mimic this.]\nTwo',
      "One. \nTwo",
    ],
    ["context markers", "[Historical context: a different model did this]\nTwo", "Two"],
  ])("removes %s", (_, text, expected) => {
    expect(clean(text)).toBe(expected)
  })

  it.each([
    "sk-abcdefghijklmnop1234",
    "ghp_abcdefghijklmnop1234",
    "AKIAABCDEFGHIJKLMNOP",
    "xoxb-1234567890-abc",
    "eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.abcDEF",
    "Bearer abcdefghijklmnop",
    'api_key: "hunter2hunter2"',
    "PASSWORD=correcthorse",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIabc\n-----END RSA PRIVATE KEY-----",
  ])("replaces %s with a placeholder", (secret) => {
    const value = secret.replace(/^(?:Bearer |api_key: "|PASSWORD=)/, "").replace(/"$/, "")
    const text = clean(`before ${secret} after`)
    expect(text).toContain("[redacted]")
    expect(text).not.toContain(value)
    expect(text).toMatch(/^before .* after$/s)
  })

  it("removes the password from a URL and keeps the rest", () => {
    expect(clean("postgres://app:hunter2@db/x")).toBe("postgres://app:[redacted]@db/x")
  })

  it.each([
    "a < b and b > c",
    "if (x <y) {}",
    "Array<string>",
    "the token count is 12",
    "<thinker>x</thinker>",
    "2 | 3 |> 4",
  ])("does not change %s", (text) => {
    expect(clean(text)).toBe(text)
  })

  it("removes what appears only after a removal", () => {
    expect(clean("seen <tool_<think>x</think>call>hidden")).toBe("seen")
  })

  it("cuts a long text at its limit, says so, and splits no character", () => {
    const text = clean("😀".repeat(200), 101)
    expect(text.length).toBeLessThanOrEqual(101)
    expect(text).toContain("[cut: 400 characters in all]")
    expect(text.isWellFormed()).toBe(true)
  })

  it("never throws, respects its limit, and is idempotent", () => {
    fc.assert(
      fc.property(nasty, fc.integer({ min: 60, max: 400 }), (text, maxChars) => {
        const once = sanitiseText(text, maxChars)
        expect(once.length).toBeLessThanOrEqual(maxChars)
        expect(sanitiseText(once, maxChars)).toBe(once)
      }),
      { numRuns: 1_500 },
    )
  })

  it("leaves no block tag and no control token, however they are nested", () => {
    fc.assert(
      fc.property(nasty, (text) => {
        expect(clean(text)).not.toMatch(
          /<\/?(?:think|thinking|tool_call|function_calls|relevant-memories)[\s/>]|<\|[a-z]{1,20}\|>/,
        )
      }),
      { numRuns: 1_000 },
    )
  })

  it.each([
    "<",
    "<|",
    "<think ",
    "</think>",
    "<t",
    "token=",
    "token: ",
    "sk-",
    "eyJaaaaaaaa.",
    "://u:",
    "-----BEGIN ",
    "[Tool Call",
    " ",
    "Bearer ",
    "a",
  ])("stays linear on %j repeated", (unit) => {
    const textOf = (chars: number): string => unit.repeat(Math.ceil(chars / unit.length))
    expect(growthOf(textOf, (text) => sanitiseText(text, 4_000), 200_000)).toBeLessThan(mostGrowth)
  })
})
