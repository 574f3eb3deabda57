import { pickRunOptions, type RunOptions } from "../../contracts/run/run-options.ts"
import type { Command } from "commander"
import type { DecisionFlags } from "./decision-flags.ts"
import type { Thinking } from "../../contracts/model-provider.ts"
import { thinkingOption } from "../program/thinking-option.ts"
import { collect, nonEmpty, nonNegativeNumber, positiveInteger } from "../program/option-parsers.ts"

/** The limits of a run: at its start, or of a new run in an existing session. */
export interface LimitFlags {
  readonly model?: string
  readonly thinking?: Thinking
  readonly context?: string
  readonly tool?: readonly string[]
  readonly maxSteps?: number
  readonly timeout?: number
  readonly budgetUsd?: number
  readonly budgetTokens?: number
  readonly pauseOnApproval?: boolean
  readonly outputSchema?: string
}

export interface FollowFlags {
  readonly promptFile?: string
  readonly cwd?: string
  readonly agent?: string
  readonly watch?: boolean
  readonly detach?: boolean
  readonly detachOnSignal?: boolean
}

export interface ResumeFlags extends LimitFlags, FollowFlags, DecisionFlags {}

export interface RunFlags extends ResumeFlags {
  readonly checkpoint?: string
  readonly sandbox?: boolean
  readonly unconfined?: boolean
  readonly title?: string
  readonly label?: string
}

const maxInteger = Number.MAX_SAFE_INTEGER

/** Adds the flags that `run` and `resume` share. */
export const addRunFlags = (command: Command): Command =>
  command
    .option("-a, --async", "Accept the flag that scripts for other agents pass; it has no effect")
    .option("--prompt-file <file>", "Read the text from a file (at most 4 MiB)", nonEmpty)
    .option(
      "--context <text>",
      "Add this context to the task, for example results of earlier work; a program receives it separately",
      nonEmpty,
    )
    .option("--agent <name>", "Run as this profile (default: general)", nonEmpty)
    .option(
      "--model <name>",
      "Use this model: a name in the configuration, or an id (default: that of the profile)",
      nonEmpty,
    )
    .addOption(thinkingOption())
    .option("-t, --tool <name>", "Allow only this tool; can be repeated (default: the tools of the profile)", collect)
    .option(
      "--max-steps <n>",
      "Stop the run after this many model turns, 1 to 256 (default: that of the profile, or 30)",
      positiveInteger(256),
    )
    .option(
      "--timeout <seconds>",
      "Stop the run after this many seconds of work; 0: no limit (default: that of the profile, or none)",
      nonNegativeNumber,
    )
    .option(
      "--budget-usd <amount>",
      "Stop the run when it has cost this many US dollars (default: that of the profile, or none)",
      nonNegativeNumber,
    )
    .option(
      "--budget-tokens <n>",
      "Stop the run when it has used this many tokens (default: that of the profile, or none)",
      positiveInteger(maxInteger),
    )
    .option(
      "--pause-on-approval",
      "Pause where the approval policy requires a decision, and for input (default: run every allowed tool)",
    )
    .option(
      "--output-schema <file>",
      "Require a JSON result that validates against the JSON Schema in this file (default: any text)",
      nonEmpty,
    )
    .option("--cwd <dir>", "Run in this directory (default: the current one)", nonEmpty)
    .option("--watch", "Show the progress on stderr")
    .option("--detach", "Start the run, print the task id and leave the work to another worker")
    .option("--detach-on-signal", "Leave the run to other workers on SIGINT and SIGTERM instead of cancelling it")

export const addDecisionFlags = (command: Command): Command =>
  command
    .option("--approve <id>", "Approve this call and reject those not named; can be repeated", collect)
    .option("--reject <id>", "Reject this call; can be repeated", collect)
    .option("--approve-all", "Approve every pending call that --reject does not name")
    .option(
      "--edit <id=arguments>",
      "Approve this call with other arguments: a JSON object, or @ and a file; can be repeated",
      collect,
    )
    .option("--reject-all", "Reject every pending call, even those that --approve names")
    .option("--reason <text>", "Give the model this reason for the rejected calls", nonEmpty)

/** The flags by the option of a run that they set. */
export const optionFlags: Readonly<Partial<Record<keyof RunOptions, string>>> = {
  model: "--model",
  context: "--context",
  thinking: "--thinking",
  allowed_tools: "--tool",
  max_steps: "--max-steps",
  timeout_seconds: "--timeout",
  budget_usd: "--budget-usd",
  budget_tokens: "--budget-tokens",
}

/** Returns the options of a run that were given. The others keep their defaults. */
export const optionsOf = (flags: LimitFlags): RunOptions =>
  pickRunOptions({
    model: flags.model,
    context: flags.context === undefined ? undefined : [{ content: flags.context }],
    thinking: flags.thinking,
    allowed_tools: flags.tool,
    max_steps: flags.maxSteps,
    timeout_seconds: flags.timeout,
    budget_usd: flags.budgetUsd,
    budget_tokens: flags.budgetTokens,
  })
