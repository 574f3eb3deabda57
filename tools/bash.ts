import { randomUUID } from "node:crypto"
import { constants } from "node:os"
import { join } from "node:path"
import { stripVTControlCharacters } from "node:util"
import { bashInputSchema, type BashInput } from "../contracts/tool-input.ts"
import { withoutUndefined } from "../domain/without-undefined.ts"
import { plantedNotice } from "../domain/workspace/planted-paths.ts"
import { hiddenDirectories } from "./files/confined-path.ts"
import { outputLimits } from "./cut-output.ts"
import type { SandboxCommand, SandboxResult } from "./sandbox/sandbox.ts"
import { explainFailure } from "./sandbox/view/explain-failure.ts"
import { defineTool, type ToolContext, type ToolResult } from "./tool.ts"
import { answeringFailures, expectedFailureText } from "./tool-failure.ts"

const defaultTimeouts = { defaultMs: 120_000, maxMs: 600_000 }

/** Removes colours, which a model cannot use, and replaces NUL, which not every store accepts. */
const readable = (output: string): string => stripVTControlCharacters(output).replaceAll("\0", "\u2400").trimEnd()

/** A shell whose program was ended by a signal exits with 128 plus the number of the signal. */
const isEndedBy = ({ exitCode, signal }: SandboxResult, name: "SIGXFSZ" | "SIGXCPU"): boolean =>
  signal === name || exitCode === 128 + constants.signals[name]

const sandboxCommand = (
  command: string,
  context: ToolContext,
): Omit<SandboxCommand, "timeoutMs" | "outputFile" | "background"> => ({
  command,
  cwd: context.cwd,
  env: context.env,
  signal: context.signal,
  maxOutputBytes: outputLimits.bashCharacters,
  ownerId: context.sessionId,
  hiddenDirs: hiddenDirectories(context),
  ...withoutUndefined({ scratchDir: context.scratchDir, network: context.network }),
  protection: { namedFiles: context.namedFiles ?? [], onPlanted: context.onPlanted },
})

const endNotice = (result: SandboxResult, timeoutMs: number): string | undefined => {
  if (result.timedOut) {
    return `The command ran longer than ${timeoutMs} ms and was stopped with everything that it started. Set a longer timeout_ms, or use run_in_background.`
  }
  if (result.exceeded !== undefined) return result.exceeded
  if (isEndedBy(result, "SIGXFSZ"))
    return "The command was ended, because it wrote a file larger than allowed (security.limits.fileMb)."
  if (isEndedBy(result, "SIGXCPU"))
    return "The command was ended, because it used more processor time than allowed (security.limits.cpuSeconds)."
  if (result.signal !== null) return `The command was ended by ${result.signal}.`
  return result.exitCode === 0 ? undefined : `Exit code ${result.exitCode ?? "unknown"}`
}

export type CommandOptions = Required<Pick<SandboxCommand, "timeoutMs" | "onOutput">>

/** How a command of a task ended. */
export interface CommandEnd extends Pick<SandboxResult, "aborted" | "timedOut"> {
  readonly output: string
  /** Why it did not succeed; undefined if it did. */
  readonly problem: string | undefined
}

/** Returns the end of a command that could not be started. Other errors are bugs and are thrown unchanged. */
const notStarted = (error: unknown): CommandEnd => {
  const problem = expectedFailureText(error)
  if (problem === undefined) throw error
  return { aborted: false, timedOut: false, output: "", problem }
}

/** Runs a command as Bash does, and waits for its end, however long it takes. */
export const runBashCommand = async (
  command: string,
  context: ToolContext,
  { timeoutMs, onOutput }: CommandOptions,
): Promise<CommandEnd> => {
  const outputFile = join(context.spillDir, `command-${randomUUID()}.txt`)
  const run = { ...sandboxCommand(command, context), timeoutMs, outputFile, onOutput }
  const result = await context.sandbox.run(run).catch(notStarted)
  if ("problem" in result) return result
  const timedOut = `the command ran longer than ${timeoutMs / 1_000} s and was stopped with everything that it started`
  const notices = [result.timedOut ? timedOut : endNotice(result, timeoutMs), plantedNotice(result.planted)]
  const problem = notices.filter((text) => text !== undefined).join("; ")
  const { aborted, timedOut: isTimedOut } = result
  return {
    aborted,
    timedOut: isTimedOut,
    output: readable(result.output),
    problem: problem === "" ? undefined : problem,
  }
}

/** Returns what the sandbox has to do with the failure of a command. */
const sandboxNotices = (result: SandboxResult, { sandbox, cwd, env, network, scratchDir }: ToolContext) =>
  result.exitCode === 0
    ? []
    : explainFailure(result, sandbox, { cwd, network, path: env["PATH"] ?? "", isTask: scratchDir !== undefined })

const finished = (result: SandboxResult, timeoutMs: number, context: ToolContext): ToolResult => {
  const output = readable(result.output)
  const ends = [endNotice(result, timeoutMs), plantedNotice(result.planted)].filter((text) => text !== undefined)
  const notices = [...ends, ...sandboxNotices(result, context)]
  if (notices.length === 0) return { content: output === "" ? "(no output)" : output }
  return { content: [...(output === "" ? [] : [output]), ...notices].join("\n\n"), isError: true }
}

const inBackground = (result: SandboxResult, outputFile: string, context: ToolContext): ToolResult => {
  const stop = context.sandbox.confined
    ? result.sharesPorts === true
      ? "Later commands of this run reach its ports on 127.0.0.1, and not its process."
      : "It has its own sandbox: other commands cannot reach its ports or its process."
    : `To stop it: kill -- -${result.pid ?? 0}`
  return {
    content: `Runs in the background with process id ${result.pid ?? "unknown"}. Its output goes to ${outputFile}: use Read to see it. ${stop} It ends with this run.`,
  }
}

const isStillRunning = (result: SandboxResult): boolean =>
  result.pid !== undefined && result.exitCode === null && result.signal === null

const execute = async (input: BashInput, context: ToolContext): Promise<ToolResult> => {
  const { defaultMs, maxMs } = context.bashTimeouts ?? defaultTimeouts
  const timeoutMs = Math.min(input.timeout_ms ?? defaultMs, maxMs)
  const outputFile = join(context.spillDir, `bash-${randomUUID()}.txt`)
  const run = {
    ...sandboxCommand(input.command, context),
    timeoutMs,
    outputFile,
    background: input.run_in_background ?? false,
    onOutput: (chunk: Buffer) => context.output?.add(chunk),
  }
  const result = await context.sandbox.run(run).finally(() => context.output?.stop())
  if (result.aborted) context.signal.throwIfAborted()
  return isStillRunning(result) ? inBackground(result, outputFile, context) : finished(result, timeoutMs, context)
}

export const bash = defineTool<BashInput>({
  name: "Bash",
  description: `Runs a command with bash -c in the working directory. Returns its output (stdout and stderr together) and its exit code if that is not 0.
- Each call is a new shell: cd and variables do not carry over. Chain commands that belong together with &&, and quote paths that contain spaces.
- Prefer the other tools if they can do the work: Read to read files, Grep to search in them, Glob to find them, Edit and Write to change them.
- Commands have no input and no terminal: use flags such as -y, and do not start editors or pagers.
- timeout_ms defaults to ${defaultTimeouts.defaultMs} and is at most ${defaultTimeouts.maxMs} unless configured otherwise. After this time, the command is stopped with everything that it started.
- Processes that the command started with & end with it. For servers and watchers, set run_in_background: the call returns immediately with a process id and the file that contains the output; the process ends with this run.
- Output over ${outputLimits.bashCharacters} bytes is cut in the middle; the result names a file with the complete output.
- Commands may run in a sandbox: of the home directory only toolchains are visible, only the working directory is writable, there may be no network, /tmp is empty and lasts for one call, and each call has its own ports. Where the result of run_in_background does not say that later commands reach its ports, start a server and its client in one command.
- If the sandbox cannot do what the task needs, repeat the command with unconfined: true or network: [hosts], and a reason. A person decides on such a call; where nobody can be asked, it is refused.
- In a sandbox, files that programs outside run or obey are read-only, and new or changed ones are moved away: the configuration and hooks of git, AGENTS.md, CLAUDE.md, TOOLS.md, adjutant.config.yaml, .mcp.json, settings of editors and coding agents, .envrc and the start files of shells and tools. Change them with Write or Edit.`,
  input: bashInputSchema,
  idempotent: false,
  readOnly: false,
  execute: answeringFailures(execute),
})
