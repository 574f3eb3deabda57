import { stat } from "node:fs/promises"
import path from "node:path"
import type { LoadedConfig } from "../../config/loaded-config.ts"
import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import type { Environment } from "../../domain/environment.ts"
import { findService } from "../../service/ask-service.ts"
import { mayBeStored } from "../../sessions/profiles/stored-profiles.ts"
import { resolveRun } from "../../sessions/settings/resolve-run.ts"
import type { StartRequest } from "../../sessions/start-request.ts"
import { wrongUsage } from "../program/wrong-usage.ts"
import type { CliContext } from "../program/cli-context.ts"
import { flaggedDecisions } from "./decision-flags.ts"
import type { ExitCode } from "../terminal/exit-code.ts"
import { orInterrupted } from "../terminal/interrupts.ts"
import { isWatched } from "./follow-options.ts"
import { printOutcome, startedDocument } from "../text/print-result.ts"
import { readOutputSchema } from "./input/read-output-schema.ts"
import { readPrompt } from "./input/read-prompt.ts"
import { runOptionsOf, type RunFlags } from "./run-flags.ts"
import type { CommandContext, NewTask, TaskHost } from "../host/hosts.ts"
import { withHost } from "../host/with-host.ts"

/** Runs `adjutant run "prompt"`. Refuses what cannot be run before anything starts. */
export const startRun = async (
  context: CommandContext,
  argument: string | undefined,
  flags: RunFlags,
): Promise<ExitCode> => {
  if (flaggedDecisions(flags) !== undefined)
    throw wrongUsage(
      "--approve and --reject require a pause: add -c <checkpoint_id>, or use `adjutant resume <task_id>`",
    )
  const prompt = await orInterrupted(context.interrupts, readPrompt(context, argument, flags.promptFile))
  if (prompt === undefined)
    throw wrongUsage(
      'the prompt is missing: pass it as adjutant run "<prompt>", with --prompt-file <file>, or as `-` on stdin',
    )
  const task = {
    ...newTask(prompt, await directoryOf(context, flags.cwd), flags),
    output_schema: await readOutputSchema(context, flags.outputSchema),
  }
  return withHost(
    context,
    "tasks",
    (host) => (flags.detach === true ? startDetached(context, host, task) : startAndFollow(context, host, task, flags)),
    {
      check: (loaded) => requireResolvable(loaded, { ...task, cwd: task.cwd ?? context.cwd }, context.env),
    },
  )
}

/**
 * Refuses a run that the configuration does not allow. The program that is the service can have tools of its own: where one runs, it knows their names. Of
 * an agent that may be in the store, only the requested model can be checked: which models exist does not depend on the agent.
 */
const requireResolvable = async (loaded: LoadedConfig, request: StartRequest, env: Environment): Promise<void> => {
  const { agent, model } = request
  const isStored = agent !== undefined && mayBeStored(agent, loaded.config)
  if (isStored && model === undefined) return
  try {
    await resolveRun(loaded, isStored ? { ...request, agent: undefined } : request, env)
  } catch (error) {
    if (!isAdjutantError(error)) throw error
    const { code } = error
    if (isStored && code !== "model_not_found") return
    if (code !== "tool_not_found" || (await findService(loaded.dataDir)) === undefined) throw error
  }
}

/** Returns the directory of the new task. A server knows its own directories; without the flag, it uses its project. */
const directoryOf = async ({ cwd, options }: CliContext, flag: string | undefined): Promise<string | undefined> =>
  options.server === undefined ? await workingDirectory(path.resolve(cwd, flag ?? "."), flag) : flag

const workingDirectory = async (cwd: string, flag: string | undefined): Promise<string> => {
  const found = await stat(cwd).catch(() => undefined)
  if (found?.isDirectory() !== true) throw wrongUsage(`--cwd ${flag ?? cwd} is not a directory`)
  return cwd
}

const newTask = (prompt: string, cwd: string | undefined, flags: RunFlags): NewTask => ({
  ...runOptionsOf(flags),
  prompt,
  cwd,
  // Without the flag, nothing waits for a person: every allowed tool runs and a text reply completes the run.
  auto_approve: flags.pauseOnApproval !== true,
  pause_on_approval: flags.pauseOnApproval === true,
  agent: flags.agent,
  sandbox: sandboxOf(flags),
  title: flags.title,
  label: flags.label,
})

const sandboxOf = ({ sandbox, unconfined }: RunFlags): NewTask["sandbox"] => {
  if (sandbox === true && unconfined === true)
    throw wrongUsage("--sandbox and --unconfined exclude each other: pass one of the two")
  return unconfined === true ? "off" : sandbox
}

const startDetached = async (context: CliContext, host: TaskHost, task: NewTask): Promise<ExitCode> => {
  const started = await host.startTask(task, "leave")
  printOutcome(context, startedDocument(started))
  return 0
}

const startAndFollow = async (
  context: CliContext,
  host: TaskHost,
  task: NewTask,
  flags: RunFlags,
): Promise<ExitCode> => {
  // What follows the run is loaded while the run starts.
  const [{ sessionId, runId }, { concludeRun }] = await Promise.all([
    host.startTask(task, "follow"),
    import("./conclude-run.ts"),
  ])
  return concludeRun(context, host, {
    sessionId,
    runId,
    afterEvent: 0,
    cwd: host.manifestDirectory(task.cwd ?? context.cwd),
    flags,
    watch: isWatched(context, flags),
    onInterrupt: flags.detachOnSignal === true ? "leave" : "cancel",
  })
}
