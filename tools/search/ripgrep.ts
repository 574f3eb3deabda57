import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { rgPath } from "@vscode/ripgrep"
import { ToolFailure } from "../tool-failure.ts"

export interface RipgrepOptions {
  readonly args: readonly string[]
  readonly cwd: string
  readonly signal: AbortSignal
  readonly timeoutMs: number
  readonly maxLines: number
}

export interface RipgrepLines {
  readonly lines: readonly string[]
  /** Whether there were more lines than `maxLines`. */
  readonly more: boolean
}

const maxErrorCharacters = 2_000
const noMatch = 1

const collectErrors = (stream: NodeJS.ReadableStream): (() => string) => {
  let text = ""
  stream.setEncoding("utf8")
  stream.on("data", (chunk: string) => {
    if (text.length < maxErrorCharacters) text += chunk
  })
  return () => text.slice(0, maxErrorCharacters).trim()
}

/**
 * Runs ripgrep and returns the lines that it prints. Stops it after `maxLines`.
 * @throws ToolFailure if the search failed or took too long; the signal's reason on abort
 */
export const ripgrep = async (options: RipgrepOptions): Promise<RipgrepLines> => {
  const timeout = AbortSignal.timeout(options.timeoutMs)
  const enough = new AbortController()
  const child = spawn(rgPath, [...options.args], {
    cwd: options.cwd,
    env: {},
    stdio: ["ignore", "pipe", "pipe"],
    signal: AbortSignal.any([options.signal, timeout, enough.signal]),
    killSignal: "SIGKILL",
  })
  const failed = new Promise<Error>((resolve) => child.once("error", resolve))
  const closed = once(child, "close").catch(() => {})
  const errors = collectErrors(child.stderr)
  const lines: string[] = []
  let more = false
  for await (const line of createInterface({ input: child.stdout, crlfDelay: Infinity })) {
    if (lines.length === options.maxLines) {
      more = true
      enough.abort()
      break
    }
    lines.push(line)
  }
  await closed
  options.signal.throwIfAborted()
  if (timeout.aborted)
    throw new ToolFailure(`the search took longer than ${options.timeoutMs} ms; narrow the path, glob or pattern`)
  if (more) return { lines, more }
  if (child.exitCode === null && child.signalCode === null) throw await failed
  const isFailure = child.exitCode !== 0 && child.exitCode !== noMatch
  if (isFailure && lines.length === 0)
    throw new ToolFailure(`the search failed: ${errors() || "ripgrep printed no reason"}`)
  return { lines, more: false }
}
