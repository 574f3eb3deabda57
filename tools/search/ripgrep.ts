import { spawn } from "node:child_process"
import { once } from "node:events"
import type { FileHandle } from "node:fs/promises"
import { createInterface } from "node:readline"
import { rgPath } from "@vscode/ripgrep"
import { ToolFailure } from "../tool-failure.ts"

export interface RipgrepOptions {
  readonly args: readonly string[]
  readonly cwd: string
  readonly signal: AbortSignal
  readonly timeoutMs: number
  readonly maxLines: number
  /** Open files, which the arguments name by `inheritedFile`. */
  readonly files?: readonly FileHandle[]
}

export interface RipgrepLines {
  readonly lines: readonly string[]
  /** Whether there were more lines than `maxLines`. */
  readonly more: boolean
}

const firstInherited = 3
const inherited = /^\/dev\/fd\/(\d+)/

/** Returns the path under which ripgrep opens the file at `index` of `files`. */
export const inheritedFile = (index: number): string => `/dev/fd/${firstInherited + index}`

/** Replaces the path of an inherited file at the start of a line by its name in `names`. */
export const nameInherited = (line: string, names: readonly string[]): string =>
  line.replace(inherited, (path, number: string) => names[Number(number) - firstInherited] ?? path)

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
    stdio: ["ignore", "pipe", "pipe", ...(options.files ?? []).map(({ fd }) => fd)],
    signal: AbortSignal.any([options.signal, timeout, enough.signal]),
    killSignal: "SIGKILL",
  })
  const { stdout, stderr } = child
  if (stdout === null || stderr === null) throw new Error("ripgrep was started without pipes")
  const failed = new Promise<Error>((resolve) => child.once("error", resolve))
  const closed = once(child, "close").catch(() => {})
  const errors = collectErrors(stderr)
  const lines: string[] = []
  let more = false
  for await (const line of createInterface({ input: stdout, crlfDelay: Infinity })) {
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
