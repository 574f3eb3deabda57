import MarkdownIt from "markdown-it"
import { describe, expect, it } from "vitest"
import { withDelta, liveTextOf, type LiveText } from "../../../web/state/live-text.ts"
import { requestText } from "../../../web/review/request-text.ts"
import { commandFor } from "../../../web/shown/commands.ts"
import { prose } from "../../../web/shown/prose.ts"
import { settledHtml } from "../../../web/shown/settled-html.ts"
import {
  parseRoute,
  profileLink,
  profilesLink,
  reviewLink,
  rowLink,
  sessionLink,
  stepLink,
} from "../../../web/state/address.ts"
import { forestOf } from "../../../web/tree/session-forest.ts"
import { shownSession } from "./shown-session.ts"

describe("a link", () => {
  it.each([
    ["", { view: "home" }],
    ["#/", { view: "home" }],
    ["#/start", { view: "start" }],
    [profilesLink, { view: "profiles" }],
    [profileLink("my-editor_2"), { view: "profiles", name: "my-editor_2" }],
    [reviewLink(), { view: "review" }],
    [reviewLink("cp_a-B"), { view: "review", checkpoint: "cp_a-B" }],
    [sessionLink("abc"), { view: "session", id: "abc", tab: "transcript" }],
    [sessionLink("abc", "timeline"), { view: "session", id: "abc", tab: "timeline" }],
    [stepLink("abc", 12), { view: "session", id: "abc", tab: "transcript", step: 12 }],
    [rowLink("abc", 7), { view: "session", id: "abc", tab: "transcript", row: 7 }],
    [rowLink("abc", 7, "call/1 ü"), { view: "session", id: "abc", tab: "transcript", row: 7, call: "call/1 ü" }],
    ["#/s/abc/row/7/%E0%A4%A", { view: "session", id: "abc", tab: "transcript", row: 7, call: "%E0%A4%A" }],
    ["#/s/abc/nowhere", { view: "session", id: "abc", tab: "transcript" }],
    ["#abc", { view: "session", id: "abc", tab: "transcript" }],
    ["#/s/../../v1", { view: "home" }],
    ["#/s/a<b>", { view: "home" }],
  ])("%j leads to %j", (hash, route) => {
    expect(parseRoute(hash)).toEqual(route)
  })
})

describe("a command to copy", () => {
  it("does what the session needs next, and decides nothing", () => {
    expect(commandFor(shownSession({ status: "running" }))).toBe("adjutant wait s1")
    expect(commandFor(shownSession({ status: "failed" }))).toBe("adjutant log s1")
    const call = { id: "a", name: "Bash", arguments: {}, preview: { summary: "", flags: [] } }
    const approval = { type: "tool_approval_required" as const, pending_tool_calls: [call] }
    for (const pause_reason of [approval, { type: "input_required" as const }])
      expect(commandFor(shownSession({ status: "paused", checkpoint_id: "cp_1", pause_reason }))).toBe(
        "adjutant wait s1",
      )
  })
})

describe("what a pause requests", () => {
  const call = (summary: string) => ({ id: summary, name: "Edit", arguments: {}, preview: { summary, flags: [] } })
  const requested = (...summaries: readonly string[]) =>
    requestText({ type: "tool_approval_required", pending: summaries.map(call) })

  it("is the first call with the number of others, or an answer", () => {
    expect(requested("Edit a.ts (+1 −0)")).toBe("Edit a.ts (+1 −0)")
    expect(requested("Edit a.ts (+1 −0)", "Bash ls", "Bash id")).toBe("Edit a.ts (+1 −0), and 2 more calls")
    expect(requestText({ type: "input_required", pending: [] })).toBe("asks a question")
  })
})

describe("prose", () => {
  it("keeps emoji, and writes out what hides or turns text", () => {
    expect(prose("❤️ 👩‍💻 prix : 5 €")).toBe("❤️ 👩‍💻 prix : 5 €")
    expect(prose("a\u202eb\u200bc\u{e0041}d\ufe0f")).toBe("a\\u202eb\\u200bc\\udb40\\udc41d\\ufe0f")
  })
})

describe("rendered Markdown", () => {
  const rendered = (text: string): string => settledHtml(new MarkdownIt({ html: false }).render(text))

  it("has lower headings, boxes for tasks, and the alignment of columns without styles", () => {
    expect(rendered("# One\n\n###### Six")).toBe("<h3>One</h3>\n<h6>Six</h6>\n")
    expect(rendered("- [x] done\n- [ ] open\n- [y] text")).toContain(
      "<li>☑ done</li>\n<li>☐ open</li>\n<li>[y] text</li>",
    )
    expect(rendered("- [x] loose\n\n- other")).toContain("<p>☑ loose</p>")
    const table = rendered("| a | b |\n|:-:|--:|\n| 1 | 2 |")
    expect(table).toContain('<th class="center">a</th>')
    expect(table).toContain('<td class="right">2</td>')
    expect(table).not.toContain("style")
    expect(rendered('<td style="text-align:left">')).toContain("&lt;td")
  })
})

describe("an answer that is being written", () => {
  const delta = (id: number, text: string, fields: object = {}) =>
    ({ id, type: "text-delta", session_id: "s", run_id: "r", at: "", seq: 4, attempt: 1, text, ...fields }) as const
  const all = (...deltas: readonly ReturnType<typeof delta>[]) => {
    let live: LiveText | undefined
    for (const each of deltas) live = withDelta(live, each, 3)
    return live === undefined ? undefined : liveTextOf(live)
  }

  it("puts pieces in their order, starts again at a retry, and ignores what the transcript has", () => {
    expect(all(delta(7, "c"), delta(5, "a"), delta(6, "b"))).toBe("abc")
    expect(all(delta(5, "half"), delta(9, "whole", { attempt: 2 }), delta(6, "late"))).toBe("whole")
    expect(all(delta(5, "old", { seq: 3 }))).toBeUndefined()
    expect(all(delta(5, "all", { whole: true }))).toBeUndefined()
  })
})

describe("the list of sessions", () => {
  const session = (id: string, status: "paused" | "running" | "completed", parent: string | null = null) =>
    shownSession({ id, status, parent_session_id: parent })
  const shape = (toggled: readonly string[] = [], needsYou: readonly string[] = []) =>
    forestOf(
      [
        session("c", "paused", "b"),
        session("b", "running"),
        session("a", "completed"),
        session("d", "running"),
        session("o", "completed", "unknown"),
      ],
      { needsYou: new Set(needsYou), toggled: new Set(toggled) },
    ).map(({ name, rows }) => [name, rows.map(({ session: { id }, level }) => `${id}${level}`)])

  it("puts a whole tree where its neediest session belongs", () => {
    expect(shape()).toEqual([
      ["Needs you", ["b1", "c2"]],
      ["Running", ["d1"]],
      ["Recent", ["a1", "o1"]],
    ])
  })

  it("lists sessions that never got a message apart from those that run", () => {
    const empty = shownSession({ id: "e", status: "pending", run_id: null })
    const queued = shownSession({ id: "q", status: "pending" })
    const groups = forestOf([empty, queued], { needsYou: new Set(), toggled: new Set() })
    expect(groups.map(({ name, rows }) => [name, rows.map((row) => row.session.id)])).toEqual([
      ["Running", ["q"]],
      ["Without a message", ["e"]],
    ])
  })

  it("folds what a person closed, and moves what an approval names", () => {
    expect(shape(["b"], ["d"])).toEqual([
      ["Needs you", ["b1", "d1"]],
      ["Recent", ["a1", "o1"]],
    ])
  })
})
