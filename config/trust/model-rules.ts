import type { Config } from "../../contracts/config/config.ts"
import { usualKeyEnv } from "../models/default-models.ts"
import { gatewayModel } from "../models/gateway-model.ts"
import { type KnownModel, knownModel } from "../models/price-table.ts"
import type { DangerKind, RuleContext, Rules } from "./trust-rule.ts"

/** A file of the project with a model's answers. */
const writtenAnswers = (file: string, { unconfinedScripts }: RuleContext): DangerKind | undefined =>
  unconfinedScripts.has(file) ? "commands" : undefined

export const keyCommandRules = {
  command: "program",
  args: "program",
  cwd: "program",
  expiresSeconds: "harmless",
} as const

export const modelRules: Rules<Config["models"]> = {
  each: {
    provider: "harmless",
    model: "harmless",
    baseUrl: "server",
    // At the address that the environment names.
    deployment: "harmless",
    apiVersion: "harmless",
    auth: "harmless",
    // The provider's own key, sent to the provider's own server, is what applies without the file.
    apiKeyEnv: (name, { config, path }) => {
      const model = config.models[String(path[1])]
      const isUsual = model !== undefined && name === usualKeyEnv(model.provider)
      return isUsual && !("baseUrl" in model && model.baseUrl !== undefined) ? undefined : "secret"
    },
    headers: "server",
    headersEnv: "secret",
    // Gateways choose a server by it, and some providers run tools of their own.
    extraBody: "server",
    temperature: "harmless",
    dialect: {
      maxTokensField: "harmless",
      cacheControl: "harmless",
      systemRole: "harmless",
      reasoningField: "harmless",
      strict: "harmless",
    },
    apiKeyCommand: keyCommandRules,
    cacheMinutes: "harmless",
    thinking: "harmless",
    maxOutputTokens: "harmless",
    // The models that it names have rules of their own.
    fallback: { each: "harmless" },
    contextTokens: "harmless",
    // Words that say that an answer was cut or refused keep their meaning.
    normalEnds: { each: "harmless" },
    // What a tool returned goes to the model's own provider in either case, as text or as an image.
    input: { each: "harmless" },
    // Without them there is no limit: they can only restrict.
    limits: { requestsPerMinute: "harmless", tokensPerMinute: "harmless", concurrent: "harmless" },
    script: writtenAnswers,
    file: writtenAnswers,
    mode: "harmless",
  },
}

type RateName = "inputPerMTok" | "outputPerMTok" | "cacheReadPerMTok" | "cacheWritePerMTok"

/** Returns what is published about a model, whatever server it is requested from. */
const listedModel = (id: string): KnownModel | undefined => knownModel(id) ?? gatewayModel(id)

/** Returns whether a price is that of a model without a list price: only such a price cannot make a budget last longer. */
const isOfUnlistedModel = (name: string, { models }: Config): boolean => {
  const model = Object.hasOwn(models, name) ? models[name] : undefined
  if (model === undefined) return name !== "main" && name !== "light" && listedModel(name) === undefined
  switch (model.provider) {
    case "anthropic":
    case "openai":
    case "azure-openai":
      return false
    case "openai-compatible":
      return listedModel(model.model) === undefined
    case "scripted":
    case "cassette":
      return true
  }
}

/** A budget in dollars lasts longer with a price that is too low. */
const priceRule =
  (rate: RateName) =>
  (value: number, { config, path }: RuleContext): DangerKind | undefined => {
    const name = String(path[1])
    if (isOfUnlistedModel(name, config)) return undefined
    const listed = listedModel(config.models[name]?.model ?? name)?.price
    return listed !== undefined && value >= (listed[rate] ?? listed.inputPerMTok) ? undefined : "loosens"
  }

const rates = {
  inputPerMTok: priceRule("inputPerMTok"),
  outputPerMTok: priceRule("outputPerMTok"),
  cacheReadPerMTok: priceRule("cacheReadPerMTok"),
  cacheWritePerMTok: priceRule("cacheWritePerMTok"),
}

export const priceRules: Rules<Config["prices"]> = {
  each: { ...rates, longPrompt: { aboveTokens: "harmless", ...rates } },
}
