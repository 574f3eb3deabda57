import { describe, expect, it } from "vitest"
import { parseScript } from "../../../../models/scripted/parse-script.ts"

const mistakeOf = (yaml: string): string => {
  try {
    parseScript(yaml, "demo.yaml")
    return "no mistake"
  } catch (error) {
    return String(error)
  }
}

describe("parseScript", () => {
  it("reads one conversation, or several", () => {
    expect(parseScript("turns: [{ reply: { text: hi } }]", "demo.yaml").conversations).toHaveLength(1)
    const two = "conversations:\n  - turns: [{ reply: {} }]\n  - turns: [{ reply: {} }]\n"
    expect(parseScript(two, "demo.yaml").conversations).toHaveLength(2)
  })

  it.each([
    [
      "an unknown key",
      "turns:\n  - reply:\n      text: hi\n      tekst: ho\n",
      "demo.yaml:4: turns.0.reply.tekst: unknown key",
    ],
    [
      "a bad value",
      "turns:\n  - repeat: 1\n    reply:\n      delay_ms: soon\n",
      "demo.yaml:4: turns.0.reply.delay_ms:",
    ],
    ["a missing reply", "turns:\n  - repeat: 1\n  - repeat: 2\n    reply: {}\n", "demo.yaml:2: turns.0.reply:"],
    [
      "a bad regex",
      'turns:\n  - expect: { last: { matches: "(" } }\n    reply: {}\n',
      "demo.yaml:2: turns.0.expect.last.matches:",
    ],
    [
      "a mistake in the second conversation",
      "conversations:\n  - turns: [{ reply: {} }]\n  - turn: []\n",
      "demo.yaml:3: conversations.1.turns:",
    ],
    ["broken YAML", "turns:\n  - reply: [\n", "demo.yaml:3:"],
    ["a duplicate key", "turns:\n  - reply: {}\nturns: []\n", "demo.yaml:3:"],
    ["an empty file", "", "demo.yaml:1:"],
    ["no turns", "turns: []", "demo.yaml:1: turns:"],
  ])("names line and key of %s", (_what, yaml, expected) => {
    expect(mistakeOf(yaml)).toContain(expected)
    expect(mistakeOf(yaml)).toContain("; correct the script")
  })
})
