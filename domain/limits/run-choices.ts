import {
  type ChoiceName,
  choiceNames,
  type ChoiceOptions,
  type ChoiceProfile,
  type ChoiceSettings,
  type ChoiceTerms,
  choiceTerms,
} from "../../contracts/run/run-choices.ts"
import type { LimitedTool } from "../../contracts/run/run-limits.ts"

type Value = boolean | string
type Values = Readonly<Record<string, unknown>>

/** Returns settings of a run, from a function of each that is a choice. */
const eachChoice = (valueOf: (name: ChoiceName, standard: Value) => unknown): ChoiceSettings =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one value for each choice that is a setting; schemas and the table say which there are
  Object.fromEntries(
    choiceNames.flatMap((name) => {
      const { standard } = choiceTerms(name)
      return standard === undefined ? [] : [[name, valueOf(name, standard)]]
    }),
  ) as unknown as ChoiceSettings

/** Returns the choices of a request, else of the profile, else the standard ones. */
export const resolveChoices = (asked: ChoiceOptions, profile: ChoiceProfile): ChoiceSettings => {
  const [request, own]: readonly Values[] = [asked, profile]
  return eachChoice((name, standard) => {
    const terms = choiceTerms(name)
    return request?.[terms.option] ?? (terms.profile === undefined ? undefined : own?.[terms.profile.name]) ?? standard
  })
}

/** Returns the choices of a run, with those of a request in their place. */
export const choicesWith = (asked: ChoiceOptions, base: ChoiceSettings): ChoiceSettings => {
  const [request, before]: readonly Values[] = [asked, base]
  return eachChoice((name, standard) => request?.[choiceTerms(name).option] ?? before?.[name] ?? standard)
}

/** Returns the value of a choice within that of another run. Settings of a run that began before the choice existed have none. */
export const narrowedValue = (
  { values, narrows, standard }: Pick<ChoiceTerms, "values" | "narrows" | "standard">,
  base: unknown,
  wanted: unknown = standard,
): unknown => {
  const at = (value: unknown): number => values.findIndex((each) => each === value)
  return narrows === true && at(base) > at(wanted) ? base : wanted
}

/** Returns the choices of a run within those of another one. */
export const narrowChoices = (base: ChoiceSettings, wanted: ChoiceSettings): ChoiceSettings => {
  const [allowed, asked]: readonly Values[] = [base, wanted]
  return eachChoice((name) => narrowedValue(choiceTerms(name), allowed?.[name], asked?.[name]))
}

/** Returns, as texts for people, the choices that are wider than those that are allowed. */
export const widerChoices = (wanted: ChoiceSettings, allowed: ChoiceSettings): readonly string[] => {
  const [asked, most]: readonly Values[] = [wanted, allowed]
  return choiceNames
    .filter((name) => asked?.[name] !== undefined && asked[name] !== most?.[name])
    .map((name) => `${choiceTerms(name).option}: the session has ${String(most?.[name])}`)
}

/** Returns the choices that a call of a delegation tool asks for, by their names in requests. */
export const choicesAsked = (tool: LimitedTool, input: Values): ChoiceOptions =>
  Object.fromEntries(
    choiceNames.flatMap((name) => {
      const argument = choiceTerms(name).arguments?.[tool]
      const value = argument === undefined ? undefined : input[argument.name]
      return value === undefined ? [] : [[choiceTerms(name).option, value]]
    }),
  )
