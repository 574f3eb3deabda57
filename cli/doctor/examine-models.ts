import type { LoadedConfig } from "../../config/loaded-config.ts"
import { createSecretRedact } from "../../config/secrets/secrets.ts"
import type { ModelSpec } from "../../contracts/run-snapshot.ts"
import type { Environment } from "../../domain/environment.ts"
import type { Finding } from "../../server/diagnose/finding.ts"
import type { ProbedModel } from "../../worker/probe/probe-models.ts"

interface ExamineOptions {
  readonly signal: AbortSignal
  /** How long a model can take for its word; default a minute, in which a local server loads it. */
  readonly timeoutMs?: number
}

const isReplayed = ({ provider }: ModelSpec): boolean => provider === "scripted" || provider === "cassette"

const modelKeyText = ({ apiKeyEnv, apiKeyCommand }: ModelSpec): string => {
  if (apiKeyCommand !== undefined) return "key of apiKeyCommand accepted"
  return apiKeyEnv === undefined ? "no key needed" : `key of ${apiKeyEnv} accepted`
}

const toolsText = (tools: Extract<ProbedModel, { form: string }>["tools"]): string => {
  if (tools === "called") return "calls tools"
  return tools === "ignored" ? "did not call the tool" : `refuses tools (${tools.refused})`
}

const adviceFor = (model: Extract<ProbedModel, { form: string }>): readonly string[] => [
  ...(model.tools === "called" ? [] : ["agents need tools: use a model and a server that support them"]),
  ...(model.form === "stream" ? [] : ["the server must stream, or nothing is shown until an answer is complete"]),
  ...(model.spec.contextTokens === undefined ? [`set models.${model.names[0]}.contextTokens`] : []),
  ...(model.spec.price === null ? [`set its price under "prices", which budgets in dollars require`] : []),
]

const findingOf = (model: ProbedModel): Finding => {
  const { names, spec } = model
  const name = `model ${names.join(", ")}`
  const about = `${spec.provider} ${spec.model}`
  if ("problem" in model) return { name, status: "fail", detail: model.problem }
  const { form, tools } = model
  const learned = [
    `${about} answers`,
    modelKeyText(spec),
    spec.contextTokens === undefined ? "context unknown" : `context ${spec.contextTokens} tokens`,
    toolsText(tools),
    form === "stream" ? "streams" : "does not stream",
    spec.price === null ? "price unknown" : "price known",
  ]
  const advice = adviceFor(model)
  return {
    name,
    status: tools === "called" && form === "stream" ? "ok" : "warn",
    detail: learned.join("; "),
    ...(advice.length === 0 ? {} : { hint: advice.join("; ") }),
  }
}

/** Asks each configured model for one word, which costs money, and returns what that showed. Models that replay a file are not asked. */
export const examineModels = async (
  loaded: LoadedConfig,
  env: Environment,
  { signal, timeoutMs = 60_000 }: ExamineOptions,
): Promise<readonly Finding[]> => {
  const { models, config } = loaded
  const all = Object.entries(models)
  if (all.length === 0)
    return [{ name: "models", status: "warn", detail: "no model is configured", hint: "set the key of a provider" }]
  const { probeModels } = await import("../../worker/probe/probe-models.ts")
  const asked = Object.fromEntries(all.filter(([, spec]) => !isReplayed(spec)))
  const probed = await probeModels(asked, { env, envAllow: config.security.envAllow, signal, timeoutMs })
  const redact = createSecretRedact(loaded, env)
  return [
    ...all.flatMap(([name, spec]): readonly Finding[] =>
      isReplayed(spec) ? [{ name: `model ${name}`, status: "ok", detail: `${spec.provider}; not asked` }] : [],
    ),
    ...probed.map(findingOf).map((finding) => ({ ...finding, detail: redact(finding.detail) })),
  ]
}
