import { expect, test } from "vitest"
import type { OutcomeDocument } from "../../../contracts/session/outcome-document.ts"
import { pendingCall } from "../../helpers/pending-call.ts"
import { stubTerminal } from "../../helpers/terminal/stub-terminal.ts"
import { paused } from "../../unit/cli/stub-environment.ts"
import { runAtTerminal } from "../../unit/cli/run-at-terminal.ts"

// With a pager that is not installed, nobody could see the rest of a long call.

const content = Array.from({ length: 90 }, (_, index) => `line ${index}`).join("\n")
const long = pendingCall({ id: "call_1", name: "Write", arguments: { file_path: "a.md", content } })
const pause: OutcomeDocument = {
  ...paused,
  pause_reason: { type: "tool_approval_required", pending_tool_calls: [long] },
}

/** Runs a command whose pause is answered with a choice, and then with "later". */
const choose = async (choice: string, env: Readonly<Record<string, string>>) => {
  const terminal = stubTerminal()
  terminal.at("[l]ater", () => terminal.type(choice, "l"))
  const { ended, written, names } = runAtTerminal(terminal, ["run", "p"], [pause], env)
  expect(await ended).toBe(10)
  expect(names()).not.toContain("decide")
  return written
}

test.each(["/nonexistent/pager -R", "/dev/null"])("a long call is printed if its pager is %s", async (pager) => {
  const { stdout } = await choose("d", { PAGER: pager })
  expect(stdout).toContain("line 89")
})

test("a call stays undecided if the editor is not installed, and the reason is named", async () => {
  const { stderr } = await choose("e", { EDITOR: "/nonexistent/editor" })
  expect(stderr).toContain(
    "Nothing was edited: the editor `/nonexistent/editor` cannot be started; set VISUAL or EDITOR",
  )
})
