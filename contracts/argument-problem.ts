import type { z } from "zod"

const maxIssues = 5

/** Returns a message of zod without its title and in lower case: `expected number to be <=256`. */
export const plainMessage = (message: string): string =>
  message
    .replace(/^(?:Invalid \w+|Too big|Too small): /, "")
    .replace(/^Invalid /, "invalid ")
    .replace(/^Unrecognized key/, "unknown key")

const issueMessage = (issue: z.core.$ZodIssue): string => {
  if (issue.code === "invalid_type" && issue.message.endsWith("received undefined")) return "is missing"
  if (issue.code === "too_small" && issue.minimum === 1 && (issue.origin === "string" || issue.origin === "array"))
    return "must not be empty"
  return plainMessage(issue.message)
}

/** Returns what is wrong with each argument of a call: `tools: must not be empty; max_steps: …`. */
export const argumentProblem = (error: z.ZodError): string =>
  error.issues
    .slice(0, maxIssues)
    .map((issue) => {
      const field = issue.path.join(".")
      return field === "" ? issueMessage(issue) : `${field}: ${issueMessage(issue)}`
    })
    .join("; ")
