import { EventEmitter } from "node:events"
import { expect, test } from "vitest"
import { listenForInterrupts } from "../../../../cli/terminal/interrupts.ts"
import { askAtTerminal, confirmAtTerminal } from "../../../../cli/terminal/ask-at-terminal.ts"
import { discardTyped, hasEnded } from "../../../../cli/terminal/terminal-input.ts"
import type { OutcomeDocument } from "../../../../contracts/session/outcome-document.ts"
import { pendingCall } from "../../../helpers/pending-call.ts"
import { stubTerminal } from "../../../helpers/terminal/stub-terminal.ts"
import { completed, paused } from "../stub-environment.ts"
import { runAtTerminal } from "../run-at-terminal.ts"

// A line that was typed while the run continued answered the next question as soon as it was shown: a second "a" and
// Enter approved a call that nobody had seen.

const withCalls = (...ids: readonly string[]): OutcomeDocument => {
  const calls = ids.map((id) => pendingCall({ id, name: "Write", arguments: { file_path: `${id}.md` } }))
  return { ...paused, pause_reason: { type: "tool_approval_required", pending_tool_calls: calls } }
}

const asking: OutcomeDocument = { ...paused, pause_reason: { type: "input_required" } }

test("a second approval does not approve the next call, which was not shown yet", async () => {
  const terminal = stubTerminal()
  terminal.at("Call 1 of 2", () => terminal.type("a", "a", "a"))
  terminal.at("Call 2 of 2", () => terminal.type("l"))
  const { ended, names } = runAtTerminal(terminal, ["run", "p"], [withCalls("call_1", "call_2")])
  expect(await ended).toBe(10)
  expect(names()).not.toContain("decide")
})

test.each([
  ["the next pause", withCalls("call_2"), "[l]ater", "l"],
  ["a question of the model", asking, "Your answer", ""],
])("what is typed while the run continues does not answer %s", async (_, next, question, answer) => {
  const terminal = stubTerminal()
  terminal.at("[l]ater", () => terminal.type("a", "a"))
  terminal.at(question, () => terminal.type(answer))
  const { ended, names } = runAtTerminal(terminal, ["run", "p"], [withCalls("call_1"), next, completed])
  expect(await ended).toBe(10)
  expect(names().filter((name) => name === "decide" || name === "send")).toEqual(["decide"])
})

test("what is typed ahead confirms nothing", async () => {
  const terminal = stubTerminal()
  const interrupts = listenForInterrupts(new EventEmitter(), { exit: () => undefined, now: () => 0, echoMs: 0 })
  terminal.type("yes")
  terminal.at("Trust it?", () => terminal.type("no"))
  expect(await confirmAtTerminal(terminal.streams, interrupts)?.("Trust it? ")).toBe(false)
})

test("Ctrl-D is not discarded with the lines before it", async () => {
  const { type, end, streams } = stubTerminal()
  type("a", "a")
  end()
  await discardTyped(streams.stdin)
  expect(hasEnded(streams.stdin)).toBe(true)
  await discardTyped(streams.stdin)
})

// A question after the end of the input was never answered: readline does not notice that the stream has ended. The
// command hung after a prompt that was typed on stdin, and after Ctrl-D instead of a reason.

test("a pause of a run whose prompt was typed on stdin is left for later", async () => {
  const terminal = stubTerminal()
  terminal.type("write a.md")
  terminal.end()
  const { ended, names, written } = runAtTerminal(terminal, ["run", "--pause-on-approval", "-"])
  expect(await ended).toBe(10)
  expect(names()).not.toContain("decide")
  expect(written.stdout).toContain("Task abc123 stays paused; nothing was decided.")
})

test("Ctrl-D instead of a reason leaves the pause for later", async () => {
  const terminal = stubTerminal()
  terminal.at("[l]ater", () => terminal.type("r"))
  terminal.at("Reason", () => terminal.end())
  const { ended, names } = runAtTerminal(terminal, ["run", "p"])
  expect(await ended).toBe(10)
  expect(names()).not.toContain("decide")
})

test.each(["ended", "destroyed"])("nobody is asked at an input that is %s", async (state) => {
  const terminal = stubTerminal()
  const { stdin } = terminal.streams
  const closed = new Promise((resolve) => stdin.once("close", resolve))
  if (state === "ended") terminal.end()
  stdin.resume()
  if (state === "destroyed") stdin.destroy()
  await closed
  const interrupts = listenForInterrupts(new EventEmitter(), { exit: () => undefined, now: () => 0, echoMs: 0 })
  expect(await askAtTerminal(terminal.streams, interrupts, "Really? ")).toBeUndefined()
  expect(await confirmAtTerminal(terminal.streams, interrupts)?.("Really? ")).toBe(false)
})
