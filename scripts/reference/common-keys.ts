/** The keys that most people set, by section and in the order in which the reference names them. */
export const commonKeys: Readonly<Record<string, readonly string[]>> = {
  models: ["provider", "model", "apiKeyEnv", "baseUrl", "thinking", "fallback"].map((key) => `models.<name>.${key}`),
  agents: ["type", "description", "prompt", "tools", "model", "maxSteps", "budgetUsd", "command"].map(
    (key) => `agents.<name>.${key}`,
  ),
  tools: ["tools.policy"],
  mcpServers: ["command", "args", "env", "url", "headersEnv"].map((key) => `mcpServers.<name>.${key}`),
  security: ["security.sandbox.mode", "security.sandbox.network", "security.envAllow"],
  subagents: ["subagents.maxSpawnDepth", "subagents.maxConcurrent", "subagents.allowAgents"],
  limits: ["limits.usdPerDay", "limits.tokensPerDay"],
  hooks: ["hooks.<hook point>[].command", "hooks.<hook point>[].url"],
  notify: ["notify.<name>.type", "notify.<name>.url", "notify.<name>.tokenEnv"],
  webhooks: ["webhooks[].url", "webhooks[].secretEnv"],
  http: ["http.host", "http.port", "http.publicUrl", "http.tokens"],
  store: ["store.url"],
}

const paths = new Set(Object.values(commonKeys).flat())

/** Returns whether most people set a key, or one below it. */
export const isCommonKey = (path: string): boolean =>
  paths.has(path) || [...paths].some((each) => each.startsWith(`${path}.`))
