import { z } from "zod"
import {
  type ChoiceArguments,
  type ChoiceName,
  choiceNames,
  type ChoiceOptions,
  type ChoiceProfile,
  type ChoiceSettings,
  choiceTerms,
} from "./run-choices.ts"
import type { LimitedTool } from "./run-limits.ts"

const isWords = (values: readonly unknown[]): values is readonly string[] => typeof values[0] === "string"

const schemaOf = (name: ChoiceName): z.ZodType => {
  const { values } = choiceTerms(name)
  return isWords(values) ? z.enum(values) : z.boolean()
}

type Required<Values> = { readonly [Name in keyof Values]: z.ZodType<Values[Name]> }
type Optional<Values> = {
  readonly [Name in keyof Values]-?: z.ZodOptional<z.ZodType<Exclude<Values[Name], undefined>>>
}

/** Returns the schemas of the choices for which there is an entry, by their keys. */
const shapeOf = (entryOf: (name: ChoiceName) => readonly [key: string, schema: z.ZodType] | undefined): unknown =>
  Object.fromEntries(
    choiceNames.flatMap((name) => {
      const entry = entryOf(name)
      return entry === undefined ? [] : [entry]
    }),
  )

/* oxlint-disable typescript/no-unsafe-type-assertion, typescript/no-generated-empty-object-type -- the schemas are those that the table names, under the names that it gives them; a tool may have none */

/** The choices in a request. */
export const choiceOptionsShape = shapeOf((name) => [
  choiceTerms(name).option,
  schemaOf(name).optional(),
]) as Optional<ChoiceOptions>

/** The choices in a profile. */
export const choiceProfileShape = shapeOf((name) => {
  const { profile } = choiceTerms(name)
  return profile === undefined ? undefined : [profile.name, schemaOf(name).optional().describe(profile.help)]
}) as Optional<ChoiceProfile>

/** The choices in the settings of a run. */
export const choiceSettingsShape = shapeOf((name) =>
  choiceTerms(name).standard === undefined ? undefined : [name, schemaOf(name)],
) as Required<ChoiceSettings>

/** Returns the arguments with which calls of a delegation tool choose for the sub-agent. */
export const choiceArgumentsShape = <Tool extends LimitedTool>(tool: Tool) =>
  shapeOf((name) => {
    const argument = choiceTerms(name).arguments?.[tool]
    if (argument === undefined) return undefined
    const schema = schemaOf(name).optional()
    return [argument.name, argument.help === undefined ? schema : schema.describe(argument.help)]
  }) as Optional<ChoiceArguments<Tool>>
