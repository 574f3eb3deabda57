import type { FlagName, LimitArgument, LimitedTool } from "./run-limits.ts"

/** An option of a run that has few values. Requests, profiles, flags, arguments of delegation tools, the settings of a run and their narrowing are derived from it. */
export interface ChoiceTerms {
  /** Its name in requests: HTTP, the library, schedules. */
  readonly option: string
  /** What can be chosen. If it `narrows`, from the widest value to the narrowest. */
  readonly values: readonly [false, true] | readonly string[]
  /** Sub-agents, and later runs of a session, get the narrower value of theirs and that of the run before. */
  readonly narrows?: true
  /** The setting of a run if neither the request nor its profile says it; absent: the option is not a setting of its own. */
  readonly standard?: boolean | string
  /** Its name in profiles, and what the reference says about it. */
  readonly profile?: { readonly name: string; readonly help: string }
  /** Its flag, `--name` or `--name <value>`, and the text of `--help`. */
  readonly flag?: { readonly name: string; readonly help: string }
  /** Its argument, by delegation tool that starts a sub-agent. */
  readonly arguments?: Partial<Readonly<Record<LimitedTool, Pick<LimitArgument, "name"> & { readonly help?: string }>>>
}

/** The choices of a run, by their names in its settings. */
export const runChoices = {
  /** A reply without a tool call pauses for an answer instead of ending the run, and the model gets `finish`. */
  pauseOnText: { option: "pause_on_approval", values: [false, true], standard: false },
  thinking: {
    option: "thinking",
    values: ["off", "low", "medium", "high"],
    profile: { name: "thinking", help: "How much the model thinks. Without it, the setting of the model applies." },
    flag: {
      name: "--thinking <level>",
      help: "Set how much the model thinks (default: as the model is configured)",
    },
    arguments: { sessions_spawn: { name: "thinking" } },
  },
} as const satisfies Readonly<Record<string, ChoiceTerms>>

type Terms = typeof runChoices

/** The name of a choice: in the settings of a run, if it is one of them. */
export type ChoiceName = keyof Terms
export type ChoiceValue<Name extends ChoiceName> = Terms[Name]["values"][number]

/** The choices whose terms have an entry. */
export type ChoicesWith<Key extends keyof ChoiceTerms> = {
  [Name in ChoiceName]: Terms[Name] extends { readonly [Each in Key]: unknown } ? Name : never
}[ChoiceName]

/** The choices in a request. */
export type ChoiceOptions = { readonly [Name in ChoiceName as Terms[Name]["option"]]?: ChoiceValue<Name> | undefined }
/** The choices in a profile. */
export type ChoiceProfile = {
  readonly [Name in ChoicesWith<"profile"> as Terms[Name]["profile"]["name"]]?: ChoiceValue<Name> | undefined
}
/** The choices in the settings of a run. */
export type ChoiceSettings = { readonly [Name in ChoicesWith<"standard">]: ChoiceValue<Name> }

type ArgumentName<Name extends ChoiceName, Tool extends LimitedTool> = Terms[Name] extends {
  readonly arguments: { readonly [Each in Tool]: { readonly name: infer Argument extends string } }
}
  ? Argument
  : never

/** The arguments with which calls of a delegation tool choose for the sub-agent. */
export type ChoiceArguments<Tool extends LimitedTool> = {
  readonly [Name in ChoiceName as ArgumentName<Name, Tool>]?: ChoiceValue<Name> | undefined
}

/** The flags of the choices as the command line's parser returns them. */
export type ChoiceFlagValues = {
  readonly [Name in ChoicesWith<"flag"> as FlagName<Terms[Name]["flag"]["name"]>]?: ChoiceValue<Name>
}

export const choiceNames = Object.keys(runChoices).filter((name): name is ChoiceName => Object.hasOwn(runChoices, name))

/** Returns the terms of a choice. */
export const choiceTerms = (name: ChoiceName): ChoiceTerms => runChoices[name]
