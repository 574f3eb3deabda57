import { z } from "zod"

const named = (pattern: RegExp, what: string) =>
  z.string().regex(pattern, `is not a valid name for ${what}: use letters, digits, - and _`)

/** Name of a profile: part of session keys, so without a colon. */
export const profileNameSchema = named(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, "a profile")
/** Name of an MCP server: part of its tools' names, so without a double underscore, also together with the one that follows. */
export const mcpServerNameSchema = named(/^(?!.*__)(?!.*_$)[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, "an MCP server")
/** Name of a webhook, a channel, a token: part of a path or of an audit entry. */
export const plainNameSchema = named(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, "an entry")
export const modelNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9][\w.:/@-]{0,127}$/, "is not a valid name for a model: use letters, digits and . _ - : / @")
/** Name of an environment variable that contains a secret; never the secret itself. */
export const envNameSchema = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, "must name an environment variable, like MY_SERVICE_KEY")

/** A tool's name, or a prefix of names that ends in `*`. */
export const toolPatternSchema = z
  .string()
  .regex(/^(\*|[A-Za-z][\w:.-]{0,199}\*?)$/, "must be the name of a tool, or the start of one followed by a single *")
/** `Read`, `mcp__docs__search`, or all tools of one MCP server: `mcp__docs__*`. */
export const toolNameSchema = z
  .string()
  .regex(
    /^([A-Za-z][\w.-]{0,199}|mcp__[A-Za-z0-9][A-Za-z0-9_-]*__\*)$/,
    "must be the name of a tool, or mcp__<server>__*",
  )

/** An http or https address without user and password: secrets are named by environment variables. */
export const httpUrlSchema = z
  .url({ protocol: /^https?$/, error: "must be an http or https address" })
  .refine((url) => URL.canParse(url) && new URL(url).username === "" && new URL(url).password === "", {
    error: "must not contain a user or password: name an environment variable instead",
  })
