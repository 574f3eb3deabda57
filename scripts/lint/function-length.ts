import type { OxlintOverride } from "oxlint"
import { exceptions } from "../structure/exceptions.ts"

/** Lines that a function of the product may have, from its first parameter to its closing brace. */
export const maxFunctionLines = 60

/** Lets the files that are excepted for now have longer functions. */
export const longFunctionOverrides: readonly OxlintOverride[] =
  exceptions.longFunctionFiles.length === 0
    ? []
    : [{ files: [...exceptions.longFunctionFiles], rules: { "max-lines-per-function": "off" } }]
