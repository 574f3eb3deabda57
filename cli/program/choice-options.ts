import { type Command, Option } from "commander"
import {
  type ChoiceFlagValues,
  type ChoiceName,
  choiceNames,
  type ChoiceOptions,
  choiceTerms,
} from "../../contracts/run/run-choices.ts"
import type { LimitedTool } from "../../contracts/run/run-limits.ts"

const optionFor = (name: ChoiceName): readonly Option[] => {
  const { flag, values } = choiceTerms(name)
  if (flag === undefined) return []
  const option = new Option(flag.name, flag.help)
  return [option.isBoolean() ? option : option.choices(values.map(String))]
}

/** Adds the flags of choices: of all of them, or of those that are arguments of a delegation tool. */
export const addChoiceFlags = (command: Command, tool?: LimitedTool): Command =>
  choiceNames
    .filter((name) => tool === undefined || choiceTerms(name).arguments?.[tool] !== undefined)
    .flatMap(optionFor)
    .reduce((each, option) => each.addOption(option), command)

/** The flags by the option of a run that they set. */
export const choiceFlags: Readonly<Partial<Record<keyof ChoiceOptions, string>>> = Object.fromEntries(
  choiceNames.flatMap((name) => optionFor(name).map((option) => [choiceTerms(name).option, option.long ?? ""])),
)

/** Returns the choices that were given. */
export const choicesGiven = (flags: ChoiceFlagValues): ChoiceOptions => {
  const given: Readonly<Record<string, unknown>> = flags
  return Object.fromEntries(
    choiceNames.flatMap((name) =>
      optionFor(name).map((option) => [choiceTerms(name).option, given[option.attributeName()]]),
    ),
  )
}
