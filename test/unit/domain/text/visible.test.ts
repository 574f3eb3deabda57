import { describe, expect, it } from "vitest"
import { plainText } from "../../../../cli/terminal/plain-text.ts"
import { approvalText } from "../../../../cli/text/approval-text.ts"
import { type ReplayDocument, replayText } from "../../../../cli/replay/replay-document.ts"
import { argumentPreview } from "../../../../domain/preview/argument-preview.ts"
import type { PendingApproval } from "../../../../sessions/pauses/approval.ts"
import { shownText } from "../../../../mcp/answers/shown-text.ts"
import { visible } from "../../../../domain/text/visible.ts"
import { approvalPage } from "../../../../http/pages/approval-page.ts"

// Approvers did not see tags (U+E00xx), fillers and variation selectors in calls, nor, on the terminal, any
// invisible character at all: a command could contain what the person who approved it did not read.

const named = [
  ["a tag", "\u{e0041}", "\\udb40\\udc41"],
  ["the Mongolian vowel separator", "\u180e", "\\u180e"],
  ["the Hangul filler", "\u3164", "\\u3164"],
  ["the empty braille pattern", "\u2800", "\\u2800"],
  ["a variation selector", "\ufe0f", "\\ufe0f"],
  ["a variation selector of the supplement", "\u{e0100}", "\\udb40\\udd00"],
  ["an override of the direction", "\u202e", "\\u202e"],
  ["an isolate", "\u2066", "\\u2066"],
  ["a zero-width space", "\u200b", "\\u200b"],
  ["a no-break space", "\u00a0", "\\u00a0"],
  ["a combining grapheme joiner", "\u034f", "\\u034f"],
  ["half a surrogate pair", "\ud800", "\\ud800"],
  ["an escape character", "\u001b", "\\u001b"],
] as const

const pendingCall = (text: string): PendingApproval["pending"][number] => {
  const call = { name: `N${text}`, arguments: { command: `ls${text}` } }
  return { ...call, id: `c${text}`, preview: argumentPreview(call) }
}

const approval = (text: string): PendingApproval => ({
  ...{ session_id: "abc123", session_key: "k", root_session_id: "abc123", run_id: "r", checkpoint_id: "cp_1" },
  ...{ type: "tool_approval_required", agent: "general", title: `T${text}`, message: `M${text}` },
  pending: [pendingCall(text)],
  opened_at: "2026-11-25T00:00:00Z",
})

describe.each(named)("%s in a call", (_, character, spelledOut) => {
  it.each([
    [
      "the page of a link",
      () =>
        approvalPage({ approval: approval(character), expiresAt: "2026-12-01T00:00:00Z", to: null, decidedById: [] }),
    ],
    ["the terminal", () => approvalText(approval(character), { now: Date.parse("2026-11-25T00:01:00Z") })],
    ["a form of an MCP client", () => shownText(JSON.stringify(approval(character).pending), 1_000)],
  ])("is spelled out on %s", (__, show) => {
    expect(show()).toContain(`ls${spelledOut}`)
    expect(show()).not.toContain(character)
  })
})

const playedRun = (text: string): ReplayDocument["recorded"] => ({
  ...{ model: "m", steps: 1, calls: [], outcome: "completed", final_message: `F${text}` },
  usage: {
    input_tokens: 1,
    output_tokens: 1,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
    cost_usd: 0,
  },
})

/** A replay in which everything that models wrote contains a text. */
const replayed = (text: string): ReplayDocument => {
  const call = { step: 1, name: `N${text}`, arguments: { command: `ls${text}` } }
  return {
    ...{ task_id: "abc123", run_id: "r", from_step: 1, same: false },
    differences: {
      ...{ outcome: false, final_message: true, cost_usd: 0 },
      calls: [{ call: 1, recorded: call, replayed: { ...call, name: `X${text}` } }],
    },
    unrecorded_call: { ...call, recorded_times: 0 },
    recorded: playedRun(text),
    replayed: playedRun(`${text}!`),
  }
}

describe("text that nobody decides about", () => {
  const removed = named.filter(([, character]) => character !== "\ufe0f")

  it.each(removed)("loses %s on the terminal", (_, character) => {
    expect(plainText(`a${character}b`)).toMatch(/^a ?b$/)
  })

  it.each(removed)("loses %s in the report of a replay", (_, character) => {
    const shown = replayText(replayed(character))
    expect(shown).toMatch(/recorded: F ?\n/)
    expect(shown).not.toContain(character)
  })

  it("keeps what joins and styles its neighbours, and blanks as spaces", () => {
    const text = "می\u200cخواهم 👩\u200d💻 ⚠\ufe0f"
    expect(plainText(text)).toBe(text)
    expect(plainText("1\u00a0000\u2028\u3000x")).toBe("1 000  x")
  })
})

describe("visible text", () => {
  it("keeps what people read, in every language", () => {
    const text = "Größe: 5 µm\n\t「日本語」 العربية हिन्दी 😀 é a\u0301 `code` $x | \\"
    expect(visible(text)).toBe(text)
  })

  it("does not change the value of a JSON text", () => {
    const value = { text: "a\u{e0041}b\u202ec\u2800\u180e" }
    expect(JSON.parse(visible(JSON.stringify(value)))).toEqual(value)
  })
})
