import { spawn } from "node:child_process"

export interface LongCommand {
  readonly program: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly signal?: AbortSignal
  /** Called every `everyMs`; "stop" ends the command. */
  readonly watch: (elapsedMs: number) => "continue" | "stop"
  readonly everyMs: number
  /** Called with standard error as it arrives. */
  readonly onErrorText?: (text: string) => void
}

export interface LongCommandEnd {
  readonly exitCode: number | null
  /** The last lines of standard error, without credentials. */
  readonly errorText: string
}

/** Runs a program in its own process group. Ends the whole group when the signal aborts or `watch` returns "stop". */
export const runUntilDone = (command: LongCommand): Promise<LongCommandEnd> =>
  new Promise((resolve) => {
    const startedAt = performance.now()
    const child = spawn(command.program, command.args, {
      cwd: command.cwd,
      env: command.env,
      stdio: ["ignore", "ignore", "pipe"],
      detached: true,
    })
    let errorText = ""
    child.stderr.setEncoding("utf8")
    child.stderr.on("data", (chunk: string) => {
      errorText = (errorText + chunk).slice(-maxErrorChars)
      command.onErrorText?.(chunk)
    })
    // After the child was reaped, which exitCode shows, its id may belong to another process.
    const endGroup = (): void => {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
      process.kill(-child.pid, "SIGKILL")
    }
    const ticker = setInterval(() => {
      if (command.watch(performance.now() - startedAt) === "stop") endGroup()
    }, command.everyMs)
    command.signal?.addEventListener("abort", endGroup, { once: true })
    if (command.signal?.aborted === true) endGroup()
    const settle = (exitCode: number | null, message?: string): void => {
      clearInterval(ticker)
      command.signal?.removeEventListener("abort", endGroup)
      resolve({ exitCode, errorText: withoutCredentials(message ?? errorText).trim() })
    }
    child.once("error", (error) => settle(null, error.message))
    child.once("close", (exitCode) => settle(exitCode))
  })

const maxErrorChars = 4_000

const withoutCredentials = (text: string): string => text.replaceAll(/:\/\/[^\s/@]+@/g, "://***@")

/** Returns the last line that is not blank, at most 200 characters. */
export const lastLine = (text: string): string =>
  text
    .split("\n")
    .findLast((line) => line.trim() !== "")
    ?.trim()
    .slice(0, 200) ?? ""
