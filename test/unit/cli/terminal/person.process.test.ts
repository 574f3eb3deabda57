import { EventEmitter } from "node:events"
import { expect, test } from "vitest"
import { Interrupted, listenForInterrupts } from "../../../../cli/terminal/interrupts.ts"
import { personAtTerminal } from "../../../../cli/terminal/person.ts"
import type { OutcomeDocument } from "../../../../contracts/session/outcome-document.ts"
import { pendingCall } from "../../../helpers/pending-call.ts"
import { stubTerminal } from "../../../helpers/terminal/stub-terminal.ts"
import { runAtTerminal } from "../run-at-terminal.ts"
import { paused } from "../stub-environment.ts"

// Ctrl-C in the pager or the editor also interrupted the command, which is in the same process group: the next question
// was not asked, and a second Ctrl-C ended the command while the pager had the terminal. Later it still ended the shell
// between them: what the editor had saved counted as failed, and the pager's text was printed after it.

const echoMs = 300

const personOf = () => {
  const signals = new EventEmitter()
  const exits: number[] = []
  let nowMs = 1_000
  const interrupts = listenForInterrupts(signals, { exit: (code) => void exits.push(code), now: () => nowMs, echoMs })
  const terminal = stubTerminal()
  const person = personAtTerminal(terminal.streams, interrupts)
  if (person === undefined) throw new Error("the stub is not a terminal")
  const interrupt = (signal: "SIGINT" | "SIGTERM") => {
    nowMs += 2 * echoMs
    signals.emit(signal)
  }
  return { person, terminal, interrupts, interrupt, exits, signals }
}

test("Ctrl-C in a program at the terminal is for that program", async () => {
  const { person, terminal, interrupts, interrupt, exits } = personOf()
  const ended = person.run({ command: "exit 3;" })
  interrupt("SIGINT")
  interrupt("SIGINT")
  expect(await ended).toBe(3)
  expect(exits).toEqual([])
  expect(interrupts.received()).toBeUndefined()
  terminal.type("l")
  expect(await person.ask("And now? ")).toBe("l")
})

test("Ctrl-C interrupts the command again after the program, but not with its echo", async () => {
  const { person, interrupts, interrupt, signals } = personOf()
  const ended = person.run({ command: "exit 0;" })
  interrupt("SIGINT")
  await ended
  signals.emit("SIGINT")
  expect(interrupts.received()).toBeUndefined()
  interrupt("SIGINT")
  expect(interrupts.received()).toBe("SIGINT")
  await expect(person.ask("And now? ")).rejects.toThrow(Interrupted)
})

test("Ctrl-C is also for a program that has ended before this process gets it", async () => {
  const { person, interrupts, interrupt, signals } = personOf()
  await person.run({ command: "exit 0;" })
  signals.emit("SIGINT")
  expect(interrupts.received()).toBeUndefined()
  interrupt("SIGINT")
  expect(interrupts.received()).toBe("SIGINT")
})

test.each(["INT", "QUIT"])("the shell that starts a program returns its exit code also after SIG%s", async (signal) => {
  const { person } = personOf()
  // A terminal sends it to the shell and to the program, which does not end of it.
  expect(await person.run({ command: `sh -c 'kill -${signal} $PPID; exit 4'` })).toBe(4)
})

test("Ctrl-C ends a program that does not catch it", async () => {
  const { person } = personOf()
  const code = await person.run({ command: "sh -c 'kill -INT $$; exit 4'" })
  expect(code).toBe(130)
})

test("Ctrl-\\ in a program does not end the command under it", async () => {
  const { person, signals } = personOf()
  const ended = person.run({ command: "exit 0;" })
  // Without a listener, Node leaves the signal to the system, which ends the process.
  expect(signals.listenerCount("SIGQUIT")).toBe(1)
  await ended
  expect(signals.listenerCount("SIGQUIT")).toBe(0)
})

test("what a program returns is not used after another signal", async () => {
  const { person, interrupt } = personOf()
  const ended = person.run({ command: "exit 0;" })
  interrupt("SIGTERM")
  await expect(ended).rejects.toThrow(Interrupted)
})

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
