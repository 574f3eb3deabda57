import { execFileSync } from "node:child_process"
import { describe, expect, it } from "vitest"
import { rejectCommand, resumingShellCommand } from "../../../../domain/approval/resume-command.ts"
import { shellQuote } from "../../../../domain/text/shell-quote.ts"

describe("resumingShellCommand", () => {
  it.each([
    [[], 'adjutant run -c cp_1 "<your input>"'],
    [[{ id: "call_1" }], "adjutant run -c cp_1 --approve call_1"],
    [[{ id: "call_1" }, { id: "call_2" }], "adjutant run -c cp_1 --approve-all"],
    [
      [{ id: "call_1" }, { id: "call_2", protected: true as const }],
      "adjutant run -c cp_1 --approve-all --approve call_2",
    ],
    [[{ id: "call_1", protected: true as const }], "adjutant run -c cp_1 --approve call_1"],
    [[{ id: "call 1; rm -rf ~" }], "adjutant run -c cp_1 --approve 'call 1; rm -rf ~'"],
    [[{ id: "--all" }], "adjutant run -c cp_1 --approve=--all"],
  ])("for the calls %j is %s", (calls, command) => {
    expect(resumingShellCommand({ checkpointId: "cp_1", calls })).toBe(command)
  })

  it("rejects everything at a checkpoint", () => {
    expect(rejectCommand("cp_1")).toBe("adjutant run -c cp_1 --reject-all")
  })
})

describe("shellQuote", () => {
  it.each(["/srv/a b", "it's", "$HOME `id` \\", "", "a\nb", "*", "~", "plain-1.2_3"])("keeps %j one word", (word) => {
    expect(execFileSync("sh", ["-c", `printf %s ${shellQuote(word)}`], { encoding: "utf8" })).toBe(word)
  })
})
