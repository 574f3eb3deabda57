// oxlint-disable-next-line import/no-unassigned-import -- it decides how the schemas of all other modules are created
import "./program/few-parses.ts"
import { fstatSync } from "node:fs"
import { listenForInterrupts } from "./terminal/interrupts.ts"
import { confirmAtTerminal } from "./terminal/ask-at-terminal.ts"
import { catchOutputErrors } from "./terminal/output-errors.ts"
import { personAtTerminal } from "./terminal/person.ts"
import { runCli } from "./run-cli.ts"
import { isStartedService, readServiceStart } from "../service/read-service-start.ts"

/** Longer than the time between a terminal's signal and the same one forwarded by npm or the launcher. */
const signalEchoMs = 300

const argv = process.argv.slice(2)
const interrupts = listenForInterrupts(process, {
  exit: (code) => process.exit(code),
  now: () => performance.now(),
  echoMs: signalEchoMs,
  hangsUp: !isStartedService(argv),
})

const output = catchOutputErrors(process)

/** Returns whether two descriptors are the same terminal, pipe or file. */
const isSameFile = (left: number, right: number): boolean => {
  const [one, other] = [fstatSync(left), fstatSync(right)]
  return one.dev === other.dev && one.ino === other.ino
}

const confirm = confirmAtTerminal(process, interrupts)
const person = personAtTerminal(process, interrupts)

const start = await readServiceStart(argv, process.stdin)

const exitCode = await runCli([...argv, ...(start?.argv ?? [])], {
  io: { stdout: process.stdout, stderr: process.stderr, stdin: process.stdin, isOnePlace: isSameFile(1, 2) },
  env: start?.env ?? { ...process.env },
  cwd: start?.cwd ?? process.cwd(),
  interrupts,
  ...(confirm === undefined ? {} : { confirm }),
  ...(person === undefined ? {} : { person }),
  openStore: async (context, options) => (await import("./host/open-store-host.ts")).openStoreHost(context, options),
  openTasks: async (context, options) =>
    (await import("./host/open-service-host.ts")).openServiceHost(context, options),
  openHost: async (context, options) => (await import("./host/open-session-host.ts")).openSessionHost(context, options),
})
process.exitCode = exitCode

/** Resolves when everything in the stream's buffer has been written. */
const drained = (stream: NodeJS.WriteStream): Promise<void> =>
  stream.writableLength === 0 || stream.destroyed
    ? Promise.resolve()
    : new Promise((resolve) => stream.write("", () => resolve()))

await Promise.all([drained(process.stdout), drained(process.stderr)])
// The error of the last write is an event of the next tick.
await new Promise((resolve) => setImmediate(resolve))

// Everything that was opened is closed by now; what remains (an aborted start, a timer of a socket) must not delay the exit.
process.exit(exitCode === 0 && output.isIncomplete() ? 1 : exitCode)
