import { type LimitFlagValues, type LimitName, limitNames, limitsBy, termsOf } from "../../contracts/run/run-limits.ts"
import { pickRunOptions, type RunOptions } from "../../contracts/run/run-options.ts"
import { type Command, Option } from "commander"
import type { WatchFlags } from "./follow-options.ts"
import type { DecisionFlags } from "./decision-flags.ts"
import type { ChoiceFlagValues } from "../../contracts/run/run-choices.ts"
import { addChoiceFlags, choiceFlags, choicesGiven } from "../program/choice-options.ts"
import { collect, nonEmpty, nonNegativeNumber, positiveInteger } from "../program/option-parsers.ts"

/** The limits of a run: at its start, or of a new run in an existing session. */
export interface LimitFlags extends LimitFlagValues, ChoiceFlagValues {
  readonly model?: string
  readonly context?: string
  readonly tool?: readonly string[]
  readonly pauseOnApproval?: boolean
  readonly outputSchema?: string
  readonly notify?: readonly string[]
}

export interface FollowFlags extends WatchFlags {
  readonly promptFile?: string
  readonly cwd?: string
  readonly agent?: string
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

const limitOption = (name: LimitName): Option => {
  const { flag, flagHelp, range, fractions } = termsOf(name)
  return new Option(flag, flagHelp).argParser(fractions === undefined ? positiveInteger(range.to) : nonNegativeNumber)
}

/** Returns the name that the parser gives to the flag of a limit. */
const limitFlag = (name: LimitName): keyof LimitFlagValues =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type derives the names from the same flags
  limitOption(name).attributeName() as keyof LimitFlagValues

const addLimitFlags = (command: Command): Command =>
  limitNames.reduce((each, name) => each.addOption(limitOption(name)), command)

/** Adds the flags that `run` and `resume` share. */
export const addRunFlags = (command: Command): Command =>
  addLimitFlags(addChoiceFlags(addInstructionFlags(command)))
    .option(
      "--pause-on-approval",
      "Pause where the approval policy requires a decision, and for input (default: run every allowed tool)",
    )
    .option(
      "--output-schema <file>",
      "Require a JSON result that validates against the JSON Schema in this file (default: any text)",
      nonEmpty,
    )
    .option(
      "--notify <name>",
      "Send every message about the run to this destination of notify; can be repeated (default: as configured)",
      collect,
    )
    .option("--cwd <dir>", "Run in this directory (default: the current one)", nonEmpty)
    .option("--watch", "Show the progress on stderr (default: at a terminal)")
    .option("--quiet", "Show only what the run is doing now, not its progress")
    .option("--detach", "Start the run in the background, and print the task id")
    .option(
      "--detach-on-signal",
      "Leave the run to other workers on SIGINT and SIGTERM instead of cancelling it. SIGHUP always leaves it to the service",
    )

const addInstructionFlags = (command: Command): Command =>
  command
    .option("-a, --async", "Accept the flag that scripts for other agents pass; it has no effect")
    .option("--prompt-file <file>", "Read the text from a file (at most 1 MB)", nonEmpty)
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
    .option("-t, --tool <name>", "Allow only this tool; can be repeated (default: the tools of the profile)", collect)

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
  ...choiceFlags,
  allowed_tools: "--tool",
  notify: "--notify",
  ...limitsBy("option", (name) => limitOption(name).long ?? ""),
}

/** Returns the options of a run that were given. The others keep their defaults. */
export const runOptionsOf = (flags: LimitFlags): RunOptions =>
  pickRunOptions({
    model: flags.model,
    context: flags.context === undefined ? undefined : [{ content: flags.context }],
    ...choicesGiven(flags),
    allowed_tools: flags.tool,
    notify: flags.notify,
    ...limitsBy("option", (name) => flags[limitFlag(name)]),
  })
