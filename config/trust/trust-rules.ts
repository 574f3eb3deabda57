import type { Config } from "../../contracts/config/config.ts"
import { type ConfiguredTiming, timingSchema } from "../../contracts/config/timing.ts"
import { agentRules, subagentRules, toolRules } from "./agent-rules.ts"
import { keyCommandRules, modelRules, priceRules } from "./model-rules.ts"
import {
  channelRules,
  hookRules,
  httpRules,
  inboundRules,
  mcpServerRules,
  securityRules,
  storeRules,
  webhookRules,
} from "./service-rules.ts"
import { defaultConfig } from "./default-config.ts"
import type { Rules } from "./trust-rule.ts"

const { timing: defaultTiming } = defaultConfig

/** A run waits for a provider without limit: shorter waits would let it ask, with the user's key, as often as the provider answers. */
const notShorter = (key: "providerRetryInitialMs" | "providerRetryMaxMs") => (waitMs: number) =>
  waitMs < defaultTiming[key] ? "loosens" : undefined

/** Apart from these, no wait and no interval lets an agent do more. */
const timingRules: Rules<ConfiguredTiming> = {
  modelAttempts: "harmless",
  modelRetryInitialMs: "harmless",
  modelRetryMaxMs: "harmless",
  modelRetryAfterMaxMs: "harmless",
  providerRetryInitialMs: notShorter("providerRetryInitialMs"),
  providerRetryMaxMs: notShorter("providerRetryMaxMs"),
  providerPauseSeconds: "harmless",
  modelTimeoutMs: "harmless",
  toolTimeoutMs: "harmless",
  bashTimeoutMs: "harmless",
  bashMaxTimeoutMs: "harmless",
  shutdownGraceMs: "harmless",
  pauseTimeoutSeconds: "harmless",
  laneCheckMs: "harmless",
  laneRetryMs: "harmless",
  deliveryAttempts: "harmless",
  deliveryTimeoutMs: "harmless",
  continueAsNewAfterEvents: "harmless",
  liveness: "harmless",
}

/** A file cannot set the constants, which complete its `timing`. */
const constantRules: Readonly<Record<string, "harmless">> = Object.fromEntries(
  Object.keys(timingSchema.shape).map((key) => [key, "harmless"]),
)

/** A configuration without the constants that complete it. */
type WrittenConfig = Omit<Config, "timing"> & { readonly timing: ConfiguredTiming }

/** Which keys of a configuration need trust. The type requires a rule for every key of the schema. */
export const trustRules: Rules<WrittenConfig> = {
  models: modelRules,
  prices: priceRules,
  agents: agentRules,
  // What a profile in the store can contain needs no trust in a file.
  profiles: { source: "harmless" },
  subagents: subagentRules,
  modelTiers: { each: "harmless" },
  // Summaries are model calls within the limits of the run, by a model whose own keys have rules.
  compaction: { enabled: "harmless", model: "harmless", atTokens: "harmless", keepTurns: "harmless" },
  tools: toolRules,
  mcpServers: mcpServerRules,
  hooks: hookRules,
  security: securityRules,
  http: httpRules,
  webhooks: webhookRules,
  delivery: { warnAbove: "harmless", refuseAbove: "harmless" },
  inbound: inboundRules,
  // They start tasks that nobody asked for.
  schedules: {
    each: {
      cron: "loosens",
      timezone: "harmless",
      prompt: "harmless",
      agent: "harmless",
      cwd: "loosens",
      overlap: "harmless",
      catchUpMinutes: "harmless",
      pauseOnFailure: "harmless",
      budgetUsd: "harmless",
      notify: { approval: "harmless", question: "harmless", failed: "harmless", finished: "harmless" },
    },
  },
  notify: {
    each: {
      type: "harmless",
      url: "server",
      tokenEnv: "secret",
      secretEnv: "secret",
      smtpUrlEnv: "secret",
      from: "harmless",
      to: "loosens",
      apiUrl: "server",
      person: "loosens",
      replyTopic: "loosens",
      channel: "loosens",
      chatId: "loosens",
      inbound: "harmless",
      repository: "loosens",
      issue: "harmless",
    },
  },
  notifyOn: { approval: "harmless", question: "harmless", failed: "harmless", finished: "harmless" },
  people: {
    each: {
      github: "loosens",
      slack: "loosens",
      telegram: "loosens",
      email: "harmless",
      token: "loosens",
      local: "loosens",
      may: { approve: "harmless", profiles: "harmless" },
    },
  },
  // They can only add a question.
  approvals: { each: { tools: "harmless", approvers: "harmless", require: "harmless", notOwn: "harmless" } },
  channels: channelRules,
  // Without them there is no limit: they can only restrict.
  limits: {
    usdPerDay: "harmless",
    tokensPerDay: "harmless",
    callers: { each: { usdPerDay: "harmless", tokensPerDay: "harmless" } },
  },
  encryption: {
    ...{ keyId: "harmless", keyEnv: "secret", keyCommand: keyCommandRules, codecTokenEnv: "secret" },
    oldKeys: { each: { keyId: "harmless", keyEnv: "secret", keyCommand: keyCommandRules } },
    uiOrigins: { each: "server" },
  },
  // Erasing what has ended cannot be undone.
  retention: { days: "erases", eventsDays: "erases", keepLabels: { each: "harmless" } },
  worker: { modelCalls: "harmless", tools: "harmless" },
  service: { idleMinutes: "harmless" },
  store: storeRules,
  timing: { ...constantRules, ...timingRules },
}
