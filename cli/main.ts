import { listenForInterrupts } from "./host/interrupts.ts"
import { runCli } from "./program/run-cli.ts"

/** Longer than the time between a terminal's signal and the same one forwarded by npm or the launcher. */
const signalEchoMs = 300

const interrupts = listenForInterrupts(process, {
  exit: (code) => process.exit(code),
  now: () => performance.now(),
  echoMs: signalEchoMs,
})

// A reader that went away (`| head`) is no error of ours.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error
})

const exitCode = await runCli(process.argv.slice(2), {
  io: process,
  env: process.env,
  cwd: process.cwd(),
  interrupts,
  openHost: async (context, options) => (await import("./host/open-session-host.ts")).openSessionHost(context, options),
})
process.exitCode = exitCode

/** What the pipe still holds is written before the process ends. */
const drained = (stream: NodeJS.WriteStream): Promise<void> =>
  stream.writableLength === 0 || stream.destroyed
    ? Promise.resolve()
    : new Promise((resolve) => stream.write("", () => resolve()))

await Promise.all([drained(process.stdout), drained(process.stderr)])

// All that was opened is closed by now; a straggler (an aborted start, a socket's timer) does not hold the shell.
process.exit(exitCode)
