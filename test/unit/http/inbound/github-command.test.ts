import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { commandOf } from "../../../../http/inbound/github-command.ts"

const id = "gqp3md"
const approve = `/approve ${id}`
const approval = { kind: "approve", taskId: id, callIds: "all" }
const fence = "```"

describe("the command of a GitHub comment", () => {
  it.each([
    ["the first line that is not blank", `\n \t\n${approve}\n`],
    ["a line after a quotation and a blank line", `> quote\n\n${approve}`],
    ["a line with a carriage return", `${approve}\r\nThank you.`],
    ["a line with trailing blanks", `${approve}  \t`],
  ])("counts as %s", (_, body) => {
    expect(commandOf(body)).toEqual(approval)
  })

  it.each([
    ["in a fence that nothing closes", `See:\n${fence}\n${approve}`],
    ["in a fence of its own", `${fence}\n${approve}\n${fence}`],
    ["in a fence of four backticks", `${fence}\`\n${fence}\n${approve}\n${fence}\n${fence}\``],
    ["in a fence of tildes", `~~~\n${approve}\n~~~`],
    ["in an HTML comment", `<!--\n${approve}\n-->`],
    ["after an HTML comment", `<!-- x -->\n${approve}`],
    ["in <pre>", `<pre>\n${approve}\n</pre>`],
    ["in <details>", `<details>\n\n${approve}\n\n</details>`],
    ["as the lazy continuation of a quotation", `> someone wrote:\n${approve}`],
    ["in a quotation", `> ${approve}`],
    ["in an indented fence", `Try this:\n\n  ${fence}\n${approve}\n  ${fence}`],
    ["in a list", `- ${approve}`],
    ["in an item of a list", `- item\n\n  ${approve}`],
    ["in a heading", `${approve}\n===`],
    ["in a table", `${approve} | x\n--- | ---`],
    ["after a link definition", `[a]: https://example.com\n${approve}`],
    ["with a reason", `${approve} -- not yet`],
    ["after a paragraph", `Looks good.\n\n${approve}`],
    ["after a line of its paragraph", `Looks good.\n${approve}`],
    ["indented by four spaces", `    ${approve}`],
    ["indented by a tab", `\t${approve}`],
    ["indented by one space", ` ${approve}`],
    ["after a line that only looks blank", `\u00a0\n${approve}`],
    ["in code", `\`${approve}\``],
    ["without an id", "/approve"],
    ["with another word", `/approver ${id}`],
    ["with a word that is no call id", `${approve} (call_1)`],
    ["with a comment in HTML", `${approve} <!-- x -->`],
  ])("does not count %s", (_, body) => {
    expect(commandOf(body)).toBeUndefined()
  })

  it("names calls, a checkpoint and a reason", () => {
    expect(commandOf(`${approve} call_1, call_2`)).toEqual({ ...approval, callIds: ["call_1", "call_2"] })
    expect(commandOf(`${approve} all`)).toEqual(approval)
    const checkpointId = "cp_abcdefghijklmnop"
    expect(commandOf(`/approve ${checkpointId} call_1`)).toEqual({ kind: "approve", checkpointId, callIds: ["call_1"] })
    expect(commandOf(`/reject ${id} -- not on a Friday -- never`)).toEqual({
      kind: "reject",
      taskId: id,
      callIds: "all",
      reason: "not on a Friday -- never",
    })
    expect(commandOf(`/reject ${checkpointId} call_1 --`)).toEqual({
      kind: "reject",
      checkpointId,
      callIds: ["call_1"],
    })
  })

  it("answers a question with the rest of its line", () => {
    expect(commandOf(`/answer ${id} Use the | other branch.  \nThank you.`)).toEqual({
      kind: "input",
      taskId: id,
      text: "Use the | other branch.",
    })
    expect(commandOf(`/answer ${id}`)).toBeUndefined()
    expect(commandOf(`${fence}\n/answer ${id} yes\n${fence}`)).toBeUndefined()
  })
})

describe("a command that a comment only shows", () => {
  const command = fc.constantFrom(
    approve,
    `/reject ${id}`,
    `/reject ${id} -- no`,
    `/answer ${id} yes`,
    `${approve} call_1`,
  )
  const line = fc.oneof(
    fc.constantFrom(
      "",
      " ",
      "text",
      "> quote",
      "- item",
      "1. item",
      fence,
      "~~~",
      "<b>",
      "-->",
      "# h",
      "---",
      "\t",
      "[a]: b",
    ),
    fc.string({ maxLength: 12 }).map((text) => text.replaceAll(/[\r\n]/g, " ")),
  )
  const lines = fc.array(line, { maxLength: 5 })
  const isIgnored = (...parts: readonly (string | readonly string[])[]): void =>
    expect(commandOf(parts.flat().join("\n"))).toBeUndefined()

  it("is never found in a fence", () => {
    const opening = fc.tuple(
      fc.nat(3),
      fc.constantFrom("`", "~"),
      fc.integer({ min: 3, max: 6 }),
      fc.constantFrom("", "sh"),
    )
    fc.assert(
      fc.property(opening, lines, command, lines, ([indent, mark, length, info], before, shown, after) => {
        // A shorter fence does not close it.
        const inside = before.filter((each) => !/^\s*[`~]/.test(each))
        isIgnored(`${" ".repeat(indent)}${mark.repeat(length)}${info}`, inside, mark.repeat(length - 1), shown, after)
      }),
    )
  })

  it("is never found in a quotation, its lazy continuation included", () => {
    fc.assert(
      fc.property(command, lines, fc.nat(3), (shown, after, depth) => {
        isIgnored(
          `${">".repeat(depth + 1)} ${shown}`,
          after.map((each) => `> ${each}`),
        )
        isIgnored(
          `${"> ".repeat(depth + 1)}someone wrote:`,
          shown,
          "",
          after.map((each) => `> ${each}`),
        )
      }),
    )
  })

  it("is never found in HTML", () => {
    const html = fc.constantFrom(
      "<!--",
      "<pre>",
      "<div>",
      "<details>",
      "<script>",
      "<style>",
      "<table><tr><td>",
      "<!X",
      "<?php",
      "<![CDATA[",
    )
    fc.assert(
      fc.property(html, lines, command, lines, (opening, before, shown, after) => {
        isIgnored(opening, before, shown, after)
      }),
    )
  })

  it("is never found indented, nor after any text", () => {
    const indent = fc.constantFrom(" ", "  ", "   ", "    ", "\t", " \t", "- ", "1. ", "> ", "* ")
    fc.assert(
      fc.property(indent, command, lines, (space, shown, after) => {
        isIgnored(
          `${space}${shown}`,
          after.filter((each) => !each.startsWith("/")),
        )
      }),
    )
    fc.assert(
      fc.property(fc.stringMatching(/^[!-.0-=?-~][ -~]{0,20}$/), lines, command, (text, between, shown) => {
        isIgnored(text, between, shown)
      }),
    )
  })
})
