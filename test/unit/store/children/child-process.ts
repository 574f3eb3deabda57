import { spawn } from "node:child_process"
import type { ChildProcessByStdio } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Interface } from "node:readline"
import type { Readable, Writable } from "node:stream"
import { onTestFinished } from "vitest"

export interface ChildProcess {
  readonly process: ChildProcessByStdio<Writable, Readable, null>
  readonly lines: Interface
  readonly exit: Promise<unknown>
}

/** Runs one of the programs in this folder in its own Node process, which ends with the test. */
export const startChild = (program: string, args: readonly string[]): ChildProcess => {
  const child = spawn(process.execPath, [join(import.meta.dirname, program), ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  return { process: child, lines: createInterface(child.stdout), exit: once(child, "exit") }
}
