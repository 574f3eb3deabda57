import { z } from "zod"
import { allowedDomainSchema } from "./config/sandbox-settings.ts"

const path = z.string().min(1).max(4096)
const filePath = path.describe("Path of the file: absolute, or relative to the working directory.")
const text = z.string().max(10_000_000)

export const readInputSchema = z.strictObject({
  file_path: filePath,
  offset: z.number().int().nonnegative().optional().describe("Line to start at, counted from 1."),
  limit: z.number().int().positive().optional().describe("How many lines to read; default 2000."),
})
export type ReadInput = z.infer<typeof readInputSchema>

export const writeInputSchema = z.strictObject({
  file_path: filePath,
  content: text.describe("The complete new content of the file."),
})
export type WriteInput = z.infer<typeof writeInputSchema>

/** One replacement of text in a file. */
export const textEditSchema = z.strictObject({
  old_string: text.min(1).describe("The text to replace, exactly as in the file, including indentation."),
  new_string: text.describe("The text to replace it with; an empty text deletes it."),
  replace_all: z.boolean().optional().describe("Replace every occurrence instead of exactly one; default false."),
})
export type TextEdit = z.infer<typeof textEditSchema>

export const editInputSchema = z.strictObject({ file_path: filePath, ...textEditSchema.shape })
export type EditInput = z.infer<typeof editInputSchema>

export const multiEditInputSchema = z.strictObject({
  file_path: filePath,
  edits: z
    .array(textEditSchema)
    .min(1)
    .max(200)
    .describe("Edits in order; each applies to the result of the previous one."),
})
export type MultiEditInput = z.infer<typeof multiEditInputSchema>

export const applyPatchInputSchema = z.strictObject({
  patch: text.min(1).describe("The patch, from `*** Begin Patch` to `*** End Patch`."),
})
export type ApplyPatchInput = z.infer<typeof applyPatchInputSchema>

export const lsInputSchema = z.strictObject({
  path: path.optional().describe("Directory to list; default the working directory."),
  ignore: z
    .array(z.string().min(1).max(1000))
    .max(100)
    .optional()
    .describe('Glob patterns to leave out, for example "*.log".'),
})
export type LsInput = z.infer<typeof lsInputSchema>

export const globInputSchema = z.strictObject({
  pattern: z.string().min(1).max(4096).describe('Glob pattern, for example "src/**/*.{ts,tsx}".'),
  path: path.optional().describe("Directory to search in; default the working directory."),
})
export type GlobInput = z.infer<typeof globInputSchema>

export const grepOutputModeSchema = z.enum(["content", "files_with_matches", "count"])
export type GrepOutputMode = z.infer<typeof grepOutputModeSchema>

export const grepInputSchema = z.strictObject({
  pattern: z.string().min(1).max(10_000).describe("Regular expression in ripgrep's syntax."),
  path: path.optional().describe("File or directory to search; default the working directory."),
  glob: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe('Only files that match this glob, for example "*.ts" or "src/**".'),
  type: z
    .string()
    .regex(/^[a-zA-Z0-9_+-]{1,40}$/)
    .optional()
    .describe('Only files of this type, as ripgrep names it, for example "ts" or "py".'),
  output_mode: grepOutputModeSchema
    .optional()
    .describe("files_with_matches (default): paths only; content: the matching lines; count: matches per file."),
  context: z.number().int().nonnegative().max(100).optional().describe("content: lines before and after each match."),
  ignore_case: z.boolean().optional().describe("Ignore upper and lower case; default false."),
  multiline: z.boolean().optional().describe("Let the pattern span lines, with . matching newlines; default false."),
  head_limit: z.number().int().positive().optional().describe("Return only the first N lines or files; default 250."),
})
export type GrepInput = z.infer<typeof grepInputSchema>

const maxHosts = 20

const bashFields = z.strictObject({
  command: z.string().min(1).max(100_000).describe("The command, as given to bash -c."),
  description: z.string().max(500).optional().describe("What the command does, in 5 to 10 words."),
  timeout_ms: z
    .number()
    .int()
    .positive()
    .max(86_400_000)
    .optional()
    .describe(
      "Milliseconds until the command is stopped; default 120000. The configuration limits it, to 600000 by default.",
    ),
  run_in_background: z
    .boolean()
    .optional()
    .describe("Return immediately and let the command continue in the background; default false."),
  unconfined: z
    .boolean()
    .optional()
    .describe(
      "Run the command outside the sandbox; default false. A person has to approve it, so try it in the sandbox first.",
    ),
  network: z
    .array(allowedDomainSchema)
    .min(1)
    .max(maxHosts)
    .optional()
    .describe("Hosts that the command has to reach from the sandbox, as in `example.org`. A person has to approve it."),
  reason: z.string().min(1).max(500).optional().describe("Why it needs `unconfined` or `network`, for that person."),
})

/** Returns what is wrong with what a command asks for beyond the sandbox; undefined if nothing is. */
const wishProblem = ({ unconfined, network, reason }: z.infer<typeof bashFields>): string | undefined => {
  if (unconfined === true && network !== undefined)
    return "unconfined and network exclude each other: outside the sandbox, a command has the whole network"
  if ((unconfined === true || network !== undefined) && reason === undefined)
    return "unconfined and network need a reason, which the person who decides is shown"
  return undefined
}

export const bashInputSchema = bashFields.superRefine((input, context) => {
  const message = wishProblem(input)
  if (message !== undefined) context.addIssue({ code: "custom", message })
})
export type BashInput = z.infer<typeof bashInputSchema>

const isWebAddress = (address: string): boolean => {
  const url = URL.parse(address)
  return url !== null && /^https?:$/.test(url.protocol) && url.hostname !== "" && url.username + url.password === ""
}

export const webFetchInputSchema = z.strictObject({
  url: z
    .string()
    .max(8_000)
    .refine(isWebAddress, "must be an address with http or https, without a user name")
    .describe("Address of the page, with https:// or http://."),
  max_chars: z
    .number()
    .int()
    .positive()
    .max(200_000)
    .optional()
    .describe("How many characters of its text to return; default 20000."),
})
export type WebFetchInput = z.infer<typeof webFetchInputSchema>

export const todoWriteInputSchema = z.strictObject({
  todos: z
    .array(
      z.strictObject({
        content: z.string().min(1).max(2000),
        status: z.enum(["pending", "in_progress", "completed"]),
      }),
    )
    .max(200)
    .describe("The complete list, in order; it replaces the previous one."),
})
export type TodoWriteInput = z.infer<typeof todoWriteInputSchema>

export const skillInputSchema = z.strictObject({
  name: z.string().min(1).max(64).describe("Name of the skill, as the list of skills has it."),
})
export type SkillInput = z.infer<typeof skillInputSchema>

/** The schemas of the built-in tools, by name. */
export const builtinInputSchemas: Readonly<Record<string, z.ZodType>> = {
  Read: readInputSchema,
  Write: writeInputSchema,
  Edit: editInputSchema,
  MultiEdit: multiEditInputSchema,
  apply_patch: applyPatchInputSchema,
  LS: lsInputSchema,
  Glob: globInputSchema,
  Grep: grepInputSchema,
  Bash: bashInputSchema,
  WebFetch: webFetchInputSchema,
  TodoWrite: todoWriteInputSchema,
  Skill: skillInputSchema,
}
