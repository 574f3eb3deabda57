import type { StartRequest } from "../../sessions/start/start-request.ts"
import type { Command } from "commander"
import type { DecisionFlags } from "./decision-flags.ts"
import { collect, nonEmpty, nonNegativeNumber, positiveInteger } from "../program/option-parsers.ts"

/** Limits of a run, for its start and for a new run in an old session. */
export interface LimitFlags {
  readonly model?: string
  readonly tool?: readonly string[]
  readonly maxSteps?: number
  readonly timeout?: number
  readonly budgetUsd?: number
  readonly budgetTokens?: number
  readonly pauseOnApproval?: boolean
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
  readonly title?: string
  readonly label?: string
}

const maxInteger = Number.MAX_SAFE_INTEGER

/** Flags that `run` and `resume` share. */
export const addRunFlags = (command: Command): Command =>
  command
    .option("-a, --async", "accepted for scripts written for other agents; a run is always unattended")
    .option("--prompt-file <file>", "read the text from a file", nonEmpty)
    .option("--agent <name>", "profile to run as (default: general)", nonEmpty)
    .option("--model <name>", "model, by its name in the configuration", nonEmpty)
    .option("-t, --tool <name>", "allow only this tool (may be given several times)", collect)
    .option("--max-steps <n>", "end after this many model turns (1 to 256)", positiveInteger(256))
    .option("--timeout <seconds>", "end after this much running time, waiting not counted; 0: none", nonNegativeNumber)
    .option("--budget-usd <amount>", "spend at most this much", nonNegativeNumber)
    .option("--budget-tokens <n>", "use at most this many tokens", positiveInteger(maxInteger))
    .option("--pause-on-approval", "pause where policy asks for a decision, and for input")
    .option("--cwd <dir>", "working directory of the agent", nonEmpty)
    .option("--watch", "show on stderr what happens")
    .option("--detach", "start, print the task id and leave the work to another worker")
    .option("--detach-on-signal", "SIGINT and SIGTERM leave the run alone instead of cancelling it")

export const addDecisionFlags = (command: Command): Command =>
  command
    .option("--approve <id>", "approve this call (may be given several times); calls not named are rejected", collect)
    .option("--reject <id>", "reject this call (may be given several times)", collect)
    .option("--approve-all", "approve every pending call that --reject does not name")
    .option("--reject-all", "reject every pending call, whatever --approve names")
    .option("--reason <text>", "tell the model why its calls were rejected", nonEmpty)

type Limits = Pick<StartRequest, "model" | "tools" | "maxSteps" | "timeoutSeconds" | "budgetUsd" | "budgetTokens">

/** The limits that were given; what was not given keeps its default. */
export const limitsOf = (flags: LimitFlags): Limits => ({
  ...(flags.model === undefined ? {} : { model: flags.model }),
  ...(flags.tool === undefined ? {} : { tools: flags.tool }),
  ...(flags.maxSteps === undefined ? {} : { maxSteps: flags.maxSteps }),
  ...(flags.timeout === undefined ? {} : { timeoutSeconds: flags.timeout }),
  ...(flags.budgetUsd === undefined ? {} : { budgetUsd: flags.budgetUsd }),
  ...(flags.budgetTokens === undefined ? {} : { budgetTokens: flags.budgetTokens }),
})
