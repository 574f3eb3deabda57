import { z } from "zod"
import type { Tool } from "../../tools/tool.ts"
import { cutText } from "../../domain/text/bound-for-history.ts"

const maxIssues = 10
const maxCharacters = 2_048

/**
 * Returns the problems of arguments for their author: the first ten. Each wrong item of a list is a separate problem, and 8 KB of arguments can have
 * 595 KB of them.
 */
export const argumentProblems = ({ issues }: z.ZodError): string => {
  const first = z.prettifyError(new z.ZodError(issues.slice(0, maxIssues)))
  const more = issues.length - maxIssues
  return `${cutText(first, maxCharacters)}${more > 0 ? `\n… and ${more} more` : ""}`
}

/** Returns the input that a tool takes from the arguments of a call, or why they do not fit. */
export const toolInput = async (
  tool: Pick<Tool, "input" | "inputProblem">,
  args: unknown,
): Promise<{ readonly input: unknown } | { readonly problem: string }> => {
  const parsed = tool.input.safeParse(args)
  if (!parsed.success) return { problem: argumentProblems(parsed.error) }
  const problem = await tool.inputProblem?.(parsed.data)
  return problem === undefined ? { input: parsed.data } : { problem }
}
