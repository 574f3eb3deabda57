import type { z } from "zod"
import { plainMessage } from "../contracts/argument-problem.ts"
import { timingSchema } from "../contracts/config/timing.ts"
import { didYouMean } from "../domain/text/suggest.ts"
import { schemaKeys } from "./schema-keys.ts"

/** One problem of a configuration, at a place in it. */
export interface ConfigProblem {
  readonly path: readonly PropertyKey[]
  readonly message: string
  /** The mapping that has an unknown key. */
  readonly within?: unknown
}

type Issue = z.core.$ZodIssue

const isMissingKey = (issue: Issue): boolean => issue.code === "invalid_type" && issue.input === undefined

/** A key of YAML with nothing after it. */
const isEmptyValue = (issue: Issue): boolean =>
  issue.input === null &&
  (issue.code === "invalid_type" || issue.code === "invalid_union" || issue.code === "invalid_value")

/** Returns the branch of a union that the author most likely meant: the one that knows all keys, then the one with the fewest problems. */
const likeliestBranch = (branches: readonly (readonly Issue[])[]): readonly Issue[] => {
  const strangeness = (issues: readonly Issue[]): number =>
    issues.reduce(
      (sum, issue) => sum + (issue.code === "unrecognized_keys" ? 10 * issue.keys.length : isMissingKey(issue) ? 2 : 1),
      0,
    )
  return branches.toSorted((left, right) => strangeness(left) - strangeness(right))[0] ?? []
}

const flatten = (issue: Issue, parent: readonly PropertyKey[]): readonly ConfigProblem[] => {
  const path = [...parent, ...issue.path]
  if (isEmptyValue(issue)) return [{ path, message: "is empty: give it a value, or remove it" }]
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => ({ path: [...path, key], message: "unknown key", within: issue.input }))
    case "invalid_union":
      return issue.errors.length === 0
        ? [{ path, message: plainMessage(issue.message).replace(" | 'undefined'", "") }]
        : likeliestBranch(issue.errors).flatMap((inner) => flatten(inner, path))
    case "invalid_key":
    case "invalid_element":
      return issue.issues.map((inner) => ({ path, message: plainMessage(inner.message) }))
    default:
      return [{ path, message: isMissingKey(issue) ? "is missing" : plainMessage(issue.message) }]
  }
}

/** Whether a path names a wait that cannot be set. */
const isConstantWait = ([section, key, ...rest]: readonly PropertyKey[]): boolean =>
  section === "timing" && rest.length === 0 && key !== undefined && Object.hasOwn(timingSchema.shape, key)

/** Returns the problems that a schema reports, at their places in the file; for an unknown key with the most similar known one. */
export const configProblems = (error: z.ZodError, schema: z.ZodType): readonly ConfigProblem[] =>
  error.issues
    .flatMap((issue) => flatten(issue, []))
    .map(({ within, ...problem }) => {
      if (problem.message !== "unknown key") return problem
      if (isConstantWait(problem.path)) return { ...problem, message: "is a constant of Adjutant: remove it" }
      const known = schemaKeys(schema, problem.path.slice(0, -1), within).filter((key) => key !== problem.path.at(-1))
      const near = didYouMean(String(problem.path.at(-1)), known)
      return {
        ...problem,
        message: `unknown key${near === "" && known.length > 0 ? `; known here: ${known.join(", ")}` : near}`,
      }
    })

/** Returns a path as text: `agents.reviewer.tools[0]`. */
export const configPathText = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((whole, key) => {
    if (typeof key === "number") return `${whole}[${key}]`
    const name = String(key)
    const plain = /^[\w-]+$/.test(name)
    return plain ? (whole === "" ? name : `${whole}.${name}`) : `${whole}[${JSON.stringify(name.slice(0, 100))}]`
  }, "")
