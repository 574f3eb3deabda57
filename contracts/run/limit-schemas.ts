import { z } from "zod"
import type { ArgumentNames, LimitedTool, LimitName, LimitTerms, LimitValue } from "./run-limits.ts"
import { limitNames, limitsBy, termsOf } from "./run-limits.ts"

const numberOf = ({ range: { above, from, to } }: LimitTerms, whole: boolean): z.ZodNumber => {
  const any = whole ? z.number().int() : z.number()
  const some = above === undefined ? any : any.gt(above)
  const bounded = from === undefined ? some : some.min(from)
  return bounded.max(to)
}

const configured = (name: LimitName): z.ZodNumber => numberOf(termsOf(name), termsOf(name).fractions !== "everywhere")

/** The limits in a request. */
export const limitOptionsShape = limitsBy("option", (name) =>
  numberOf(termsOf(name), termsOf(name).fractions === undefined).optional(),
)

/** The limits in a profile. */
export const limitProfileShape = limitsBy("profile", (name) =>
  configured(name).optional().describe(termsOf(name).profileHelp),
)

const settingOf = ({ scale, fractions, none }: LimitTerms): z.ZodType<number | null> => {
  const number = (fractions === undefined || scale > 1 ? z.number().int() : z.number()).nonnegative()
  return none === null ? number.nullable() : number
}

type SettingSchemas = { readonly [Name in LimitName]: z.ZodType<LimitValue<Name>> }

/** The limits in the settings of a run. */
export const limitsSchema = z.object(
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one schema for each limit; null where the table says that it means none
  limitsBy("name", (name) => settingOf(termsOf(name))) as SettingSchemas,
)
export type Limits = z.infer<typeof limitsSchema>

/** Returns the arguments with which calls of a delegation tool limit the sub-agent. */
export const limitArgumentsShape = <Tool extends LimitedTool>(
  tool: Tool,
): Readonly<Record<ArgumentNames<Tool>, z.ZodOptional<z.ZodNumber>>> => {
  const shape = limitNames.flatMap((name) => {
    const argument = termsOf(name).arguments?.[tool]
    if (argument === undefined) return []
    const described = configured(name).describe(argument.help)
    return [
      [argument.name, argument.standard === undefined ? described.optional() : described.default(argument.standard)],
    ]
  })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the arguments that the table names for the tool
  return Object.fromEntries(shape) as Readonly<Record<ArgumentNames<Tool>, z.ZodOptional<z.ZodNumber>>>
}
