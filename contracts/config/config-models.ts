import { z } from "zod"
import { envNameSchema, httpUrlSchema, modelNameSchema } from "../names.ts"
import { cassetteModeSchema } from "./cassette.ts"
import { inputKindSchema, thinkingSchema } from "../run/model-provider.ts"

const perMinute = (what: string) =>
  z.number().int().min(1).max(1_000_000_000).optional().describe(`Most ${what} per minute. Without it: no limit.`)

const limitsSchema = z
  .strictObject({
    requestsPerMinute: perMinute("requests"),
    tokensPerMinute: perMinute("tokens"),
    concurrent: z.number().int().min(1).max(100_000).optional().describe("Most calls at a time. Without it: no limit."),
  })
  .describe(
    "What the provider accepts from the key of this model. All workers of the store share it, and so do all models with the same key and address; the smallest value applies.",
  )

/** Fields of a request that Adjutant fills itself. */
const ownFields = [
  "model",
  "messages",
  "input",
  "instructions",
  "system",
  "tools",
  "tool_choice",
  "stream",
  "stream_options",
]

const headerNameSchema = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/, "must be the name of an HTTP header")

/** What a request has besides what Adjutant needs. */
const request = {
  headers: z
    .record(
      headerNameSchema,
      z
        .string()
        .max(8_192)
        .regex(/^[\t\x20-\x7e]*$/, "must be one line of ASCII characters"),
    )
    .optional()
    .describe("HTTP headers of each request, as plain values."),
  headersEnv: z
    .record(headerNameSchema, envNameSchema)
    .optional()
    .describe("HTTP headers that contain secrets: `{<header>: <environment variable>}`. Their values are redacted."),
  extraBody: z
    .record(z.string().min(1).max(200), z.json())
    .refine((body) => ownFields.every((field) => !(field in body)), `cannot contain ${ownFields.join(", ")}`)
    .optional()
    .describe(
      "Fields that are added to the body of each request, such as `service_tier`, or the routing of a gateway.",
    ),
}

const temperature = z
  .number()
  .min(0)
  .max(2)
  .optional()
  .describe("Sampling temperature. Without it, the provider decides. Some reasoning models refuse it.")

const strict = z
  .boolean()
  .optional()
  .describe(
    "Whether tools are sent with `strict: true`, so that the server makes the model follow their schemas to the letter. Tools whose schema cannot be said in that form are sent without it. Default: no. Some servers refuse it.",
  )

export const dialectSchema = z
  .strictObject({
    maxTokensField: z
      .enum(["max_tokens", "max_completion_tokens"])
      .optional()
      .describe(
        "Field with the limit of an answer. Default: `max_tokens`, of `azure-openai` `max_completion_tokens`. Reasoning models of OpenAI require `max_completion_tokens`.",
      ),
    cacheControl: z
      .boolean()
      .optional()
      .describe(
        "Whether requests contain Anthropic's cache marks (`cache_control`), as gateways such as OpenRouter and LiteLLM require them for Claude. Default: no. Other servers may refuse them.",
      ),
    strict,
    systemRole: z
      .enum(["system", "developer", "user"])
      .optional()
      .describe("Role of the system prompt. Default: `system`."),
    reasoningField: z
      .enum(["reasoning_content", "reasoning", "none"])
      .optional()
      .describe(
        "Field in which a model gets its own reasoning back within a tool loop. Default: the field in which the server sent it.",
      ),
  })
  .describe("How this server differs from other servers of Chat Completions.")

export const keyCommandSchema = z
  .strictObject({
    command: z
      .string()
      .min(1)
      .max(4_096)
      .describe("Program to start, without a shell. A path with a slash is relative to the configuration file."),
    args: z.array(z.string().max(65_536)).max(1_000).default([]).describe("Arguments of the program."),
    cwd: z
      .string()
      .min(1)
      .max(4_096)
      .optional()
      .describe("Working directory of the program. Without it: the directory of the configuration file."),
    expiresSeconds: z
      .number()
      .int()
      .min(1)
      .max(31_536_000)
      .default(300)
      .describe("How long a key is used before the program runs again."),
  })
  .describe(
    "Program that prints a short-lived key on standard output, instead of `apiKeyEnv`. It gets the variables in `security.envAllow`.",
  )
export type KeyCommand = z.infer<typeof keyCommandSchema>

const common = {
  apiKeyCommand: keyCommandSchema.optional(),
  apiKeyEnv: envNameSchema
    .optional()
    .describe(
      "Environment variable that contains the key. Without it: `ANTHROPIC_API_KEY`, `OPENAI_API_KEY` or `AZURE_OPENAI_API_KEY`; `openai-compatible` sends none.",
    ),
  thinking: thinkingSchema.optional().describe("How much the model thinks. Without it, the provider decides."),
  maxOutputTokens: z.number().int().min(1).max(1_000_000).default(16_384).describe("Token limit of one answer."),
  fallback: z
    .array(modelNameSchema)
    .min(1)
    .max(10)
    .optional()
    .describe("Names of models that take over in a run, in this order, while this model is unavailable."),
  contextTokens: z
    .number()
    .int()
    .min(2_000)
    .max(100_000_000)
    .optional()
    .describe(
      "Tokens of prompt and answer together that the model accepts. Without it: that of the built-in table; for other models, the conversation is shortened when the provider refuses a call as too long.",
    ),
  input: z
    .array(inputKindSchema)
    .min(1)
    .max(3)
    .refine((kinds) => kinds.includes("text"), "must contain text")
    .optional()
    .describe(
      "What the model accepts. Without it: `[text, image, pdf]` for the models of Anthropic and OpenAI that are known to accept them, `[text]` for any other model. What a model does not accept is described to it.",
    ),
  normalEnds: z
    .array(z.string().min(1).max(100))
    .max(20)
    .optional()
    .describe(
      "Words with which this server ends a normal answer, besides the documented ones. Calls of an answer that ended with another word do not run.",
    ),
  limits: limitsSchema.optional(),
  ...request,
}
export const cacheMinutesSchema = z.literal([5, 60])
const markedCacheMinutes = cacheMinutesSchema
  .optional()
  .describe(
    "How long Anthropic keeps a prompt in its cache without use, behind a gateway; requires `dialect.cacheControl: true`. Without it: 5.",
  )
const model = z.string().min(1).max(200).describe("The provider's id of the model.")
const baseUrl = httpUrlSchema.describe("Address of the server, if it is not the provider's own.")
const provider = <const Name extends string>(name: Name) => z.literal(name).describe("Who serves the model.")

/** One named model. The key comes from `apiKeyEnv`, or from the provider's usual variable. */
export const modelConfigSchema = z.discriminatedUnion("provider", [
  z
    .strictObject({
      provider: provider("anthropic"),
      model,
      baseUrl: baseUrl.optional(),
      cacheMinutes: cacheMinutesSchema
        .optional()
        .describe(
          "How long the provider keeps a prompt in its cache without use. Without it: 60 in runs with `pause_on_approval` at Anthropic's own address, and 5 in others. Writing for 60 minutes costs more, and pays for itself in runs that wait for people.",
        ),
      ...common,
    })
    .describe("A model of Anthropic, over the Messages API."),
  z
    .strictObject({
      provider: provider("openai"),
      model,
      baseUrl: baseUrl.optional(),
      temperature,
      dialect: z.strictObject({ strict }).optional().describe("How requests are sent to this server."),
      ...common,
    })
    .describe("A model of OpenAI, over the Responses API."),
  z
    .strictObject({
      provider: provider("openai-compatible"),
      model,
      baseUrl: httpUrlSchema.describe("Address of the server, up to and including `/v1`."),
      temperature,
      dialect: dialectSchema.optional(),
      cacheMinutes: markedCacheMinutes,
      ...common,
    })
    .describe("A model of any server that supports OpenAI's Chat Completions."),
  z
    .strictObject({
      provider: provider("azure-openai"),
      model: model.describe("The vendor's id of the model, by which its price and context are known."),
      baseUrl: httpUrlSchema
        .optional()
        .describe(
          "Address of the resource, such as `https://example.openai.azure.com`. Without it: `AZURE_OPENAI_ENDPOINT`.",
        ),
      deployment: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe("Name of the deployment. Without it: the id of the model."),
      apiVersion: z
        .string()
        .regex(/^[\w.-]{1,50}$/, "must be the version of an API")
        .describe("Version of the API, such as `2024-12-01-preview`."),
      auth: z
        .enum(["key", "token"])
        .optional()
        .describe(
          "How the key is sent: `key` as a key of the resource, `token` as a token of Entra ID. Without it: `token` with `apiKeyCommand`, otherwise `key`.",
        ),
      temperature,
      dialect: dialectSchema.optional(),
      cacheMinutes: markedCacheMinutes,
      ...common,
    })
    .describe("A deployment of Azure OpenAI, over Chat Completions."),
  z
    .strictObject({
      provider: provider("scripted"),
      model: model.default("scripted"),
      script: z.string().min(1).describe("Path of the written conversation, relative to the configuration file."),
      thinking: common.thinking,
      maxOutputTokens: common.maxOutputTokens,
      fallback: common.fallback,
      contextTokens: common.contextTokens,
      input: common.input,
      limits: common.limits,
    })
    .describe("A written conversation that is replayed offline."),
  z
    .strictObject({
      provider: provider("cassette"),
      model: model.default("cassette"),
      file: z.string().min(1).describe("Path of the recording, relative to the configuration file."),
      mode: cassetteModeSchema
        .default("strict")
        .describe(
          "`strict` answers only requests that are equal to recorded ones; `lenient` answers by turn if all answers so far made the recorded calls.",
        ),
      thinking: common.thinking,
      maxOutputTokens: common.maxOutputTokens,
      fallback: common.fallback,
      contextTokens: common.contextTokens,
    })
    .describe("A recording of `adjutant export --cassette` that is replayed offline."),
])
export type Dialect = z.infer<typeof dialectSchema>
export type ModelConfig = z.infer<typeof modelConfigSchema>

export const modelsSchema = z.record(modelNameSchema, modelConfigSchema)

/** Tiers of models, the strongest first; a model is in one tier only. Entries are model ids or configured names. */
export const modelTiersSchema = z.array(z.array(modelNameSchema).min(1)).superRefine((tiers, context) => {
  const seen = new Set<string>()
  for (const [tier, names] of tiers.entries())
    for (const [index, name] of names.entries()) {
      if (seen.has(name))
        context.addIssue({ code: "custom", path: [tier, index], message: `${name} is in the list twice: remove one` })
      seen.add(name)
    }
})
