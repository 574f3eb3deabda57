/**
 * The description of one limit. Everything that mentions the limit is derived from it: requests, profiles, flags, arguments of delegation tools, settings,
 * narrowing.
 */
export interface LimitTerms {
  /** Its name in requests: HTTP, the library, schedules. */
  readonly option: string
  /** Its name in profiles. */
  readonly profile: string
  /** The numbers that can be asked for: greater than `above`, or at least `from`, up to a maximum. */
  readonly range: { readonly above?: number; readonly from?: number; readonly to: number }
  /** Where fractions are accepted; absent: only whole numbers are. */
  readonly fractions?: "in requests" | "everywhere"
  /** The error of a request with any other number. */
  readonly refusal: string
  /** How many units of the settings one unit of a request is. */
  readonly scale: number
  /** The value that means no limit; absent: there always is one. */
  readonly none?: 0 | null
  /** What applies if neither the request nor the profile says it. */
  readonly standard: number | null
  /** Its flag and the text of `--help`. */
  readonly flag: string
  readonly flagHelp: string
  readonly profileHelp: string
  /** Its argument, by delegation tool that starts a sub-agent. */
  readonly arguments?: Partial<Readonly<Record<LimitedTool, LimitArgument>>>
}

/** The delegation tools whose calls can limit the sub-agent. */
export type LimitedTool = "dynamic_subagent_task" | "sessions_spawn"

export interface LimitArgument {
  readonly name: string
  readonly help: string
  readonly standard?: number
}

/** The limits of a run, by their names in its settings. A child's are at most its parent's. */
export const runLimits = {
  maxSteps: {
    option: "max_steps",
    profile: "maxSteps",
    range: { from: 1, to: 256 },
    refusal: "max steps must be a whole number from 1 to 256",
    scale: 1,
    standard: 100,
    flag: "--max-steps <n>",
    flagHelp: "Stop the run after this many model turns, 1 to 256 (default: that of the profile, or 100)",
    profileHelp: "Model turns of one run. Without it: 100.",
    arguments: { dynamic_subagent_task: { name: "max_steps", help: "Maximum number of model turns", standard: 30 } },
  },
  timeoutSeconds: {
    option: "timeout_seconds",
    profile: "timeoutSeconds",
    range: { from: 0, to: 31_536_000 },
    fractions: "in requests",
    refusal: "the timeout must be a number of seconds from 0 (none) to 31536000",
    scale: 1,
    none: 0,
    standard: 0,
    flag: "--timeout <seconds>",
    flagHelp: "Stop the run after this many seconds of work; 0: no limit (default: that of the profile, or none)",
    profileHelp: "Time limit of one run, in seconds of work; waiting does not count. 0 or not set: none.",
    arguments: {
      sessions_spawn: { name: "runTimeoutSeconds", help: "Time limit of the run, waiting not counted; 0: none" },
    },
  },
  /** Integer millionths of a US dollar. */
  budgetMicroUsd: {
    option: "budget_usd",
    profile: "budgetUsd",
    range: { above: 0, to: 1_000_000 },
    fractions: "everywhere",
    refusal: "the budget in US dollars must be more than 0 and at most 1000000",
    scale: 1_000_000,
    none: null,
    standard: null,
    flag: "--budget-usd <amount>",
    flagHelp: "Stop the run when it has cost this many US dollars (default: that of the profile, or none)",
    profileHelp: "Cost limit of one run. Without it: none.",
  },
  budgetTokens: {
    option: "budget_tokens",
    profile: "budgetTokens",
    range: { above: 0, to: Number.MAX_SAFE_INTEGER },
    refusal: "the budget in tokens must be a whole number above 0",
    scale: 1,
    none: null,
    standard: null,
    flag: "--budget-tokens <n>",
    flagHelp: "Stop the run when it has used this many tokens (default: that of the profile, or none)",
    profileHelp: "Token limit of one run. Without it: none.",
  },
} as const satisfies Readonly<Record<string, LimitTerms>>

type Terms = typeof runLimits

/** The name of a limit in the settings of a run. */
export type LimitName = keyof Terms
/** The name of a limit in requests. */
export type LimitOption = Terms[LimitName]["option"]

type ByLimit<Value> = { readonly [Name in LimitName]: Value }
type ByOption<Value> = { readonly [Name in LimitName as Terms[Name]["option"]]: Value }
type ByProfileKey<Value> = { readonly [Name in LimitName as Terms[Name]["profile"]]: Value }

/** A number where the limit always applies, or 0 means none; else a number or null. */
export type LimitValue<Name extends LimitName> = Terms[Name] extends { readonly none: null } ? number | null : number

type ArgumentName<Name extends LimitName, Tool extends LimitedTool> = Terms[Name] extends {
  readonly arguments: { readonly [Each in Tool]: { readonly name: infer Argument extends string } }
}
  ? Argument
  : never

/** The names of the arguments with which calls of a delegation tool limit the sub-agent. */
export type ArgumentNames<Tool extends LimitedTool> = { [Name in LimitName]: ArgumentName<Name, Tool> }[LimitName]

type Camel<Text extends string> = Text extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Text
/** The name of a flag, `--name` or `--name <value>`, as the command line's parser returns it. */
export type FlagName<Flag extends string> = Flag extends `--${infer Name} <${string}>`
  ? Camel<Name>
  : Flag extends `--${infer Name}`
    ? Camel<Name>
    : never

/** The flags of the limits as the command line's parser returns them. */
export type LimitFlagValues = { readonly [Name in LimitName as FlagName<Terms[Name]["flag"]>]?: number }

export const limitNames = Object.keys(runLimits).filter((name): name is LimitName => Object.hasOwn(runLimits, name))

/** Returns the terms of a limit. */
export const termsOf = (name: LimitName): LimitTerms => runLimits[name]

interface Keyed<Value> {
  readonly name: ByLimit<Value>
  readonly option: ByOption<Value>
  readonly profile: ByProfileKey<Value>
}

const nameBy = (key: keyof Keyed<unknown>, name: LimitName): string => (key === "name" ? name : termsOf(name)[key])

/** Returns a value for each limit, by its name in the settings of a run (`name`), in requests (`option`) or in profiles (`profile`). */
export const limitsBy = <Key extends keyof Keyed<unknown>, Value>(
  key: Key,
  valueOf: (name: LimitName) => Value,
): Keyed<Value>[Key] =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one entry for each limit, under the name that the table gives it
  Object.fromEntries(limitNames.map((name) => [nameBy(key, name), valueOf(name)])) as Keyed<Value>[Key]
