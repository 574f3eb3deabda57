import { EventEmitter } from "node:events"
import { expect, test } from "vitest"
import { listenForInterrupts } from "../../../cli/terminal/interrupts.ts"
import { askAtTerminal, confirmAtTerminal } from "../../../cli/terminal/ask-at-terminal.ts"
import { stubTerminal } from "../../helpers/terminal/stub-terminal.ts"
import { runAtTerminal } from "../../unit/cli/run-at-terminal.ts"

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
