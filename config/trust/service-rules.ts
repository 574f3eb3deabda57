import type { Config } from "../../contracts/config/config.ts"
import type { HookConfig } from "../../contracts/config/config-services.ts"
import { defaultConfig as defaults } from "./default-config.ts"
import type { Rule, Rules } from "./trust-rule.ts"

const notAbove =
  (limit: number): Rule<number> =>
  (value) =>
    value > limit ? "loosens" : undefined

export const mcpServerRules: Rules<Config["mcpServers"]> = {
  each: {
    command: "program",
    args: "program",
    cwd: "program",
    env: "program",
    envFrom: "secret",
    url: "server",
    headers: "server",
    headersEnv: "secret",
    oauth: {
      grant: "harmless",
      clientId: "server",
      clientSecretEnv: "secret",
      privateKeyEnv: "secret",
      algorithm: "harmless",
      issuer: "server",
      scope: "server",
      clientMetadataUrl: "server",
      callbackPort: "harmless",
    },
    timeoutMs: "harmless",
    connectTimeoutMs: "harmless",
    trustReadOnlyHint: (trusts) => (trusts ? "loosens" : undefined),
  },
}

const hooksOfPoint: Rules<readonly HookConfig[]> = {
  each: {
    command: "program",
    args: "program",
    cwd: "program",
    url: "server",
    secretEnv: "secret",
    tools: "harmless",
    timeoutMs: "harmless",
  },
}

export const hookRules: Rules<Config["hooks"]> = {
  "agent:llm-before-execute": hooksOfPoint,
  "agent:llm-after-execute": hooksOfPoint,
  "agent:binary-before-execute": hooksOfPoint,
  "agent:binary-after-execute": hooksOfPoint,
  "agent:mcp-bridge-before-execute": hooksOfPoint,
  "agent:mcp-bridge-after-execute": hooksOfPoint,
  "before-tool": hooksOfPoint,
  "after-tool": hooksOfPoint,
}

export const securityRules: Rules<Config["security"]> = {
  allowBinaryAgents: (allowed) => (allowed ? "loosens" : undefined),
  sandbox: {
    mode: (mode) => (mode === "off" ? "loosens" : undefined),
    read: (paths) => (paths.length > 0 ? "loosens" : undefined),
    write: (paths) => (paths.length > 0 ? "loosens" : undefined),
    network: "server",
    toolchains: "harmless",
  },
  // With fewer backends, none of them may work, and commands run unconfined.
  sandboxBackends: (names) => (names.join() === defaults.security.sandboxBackends.join() ? undefined : "loosens"),
  allowedDomains: "server",
  dockerImage: "program",
  limits: {
    memoryMb: notAbove(defaults.security.limits.memoryMb),
    processes: notAbove(defaults.security.limits.processes),
    cpuSeconds: notAbove(defaults.security.limits.cpuSeconds),
    fileMb: notAbove(defaults.security.limits.fileMb),
  },
  envAllow: (names) => (names.every((name) => defaults.security.envAllow.includes(name)) ? undefined : "secret"),
}

const loopback: readonly string[] = [defaults.http.host, "localhost", "::1"]

export const httpRules: Rules<Config["http"]> = {
  host: (host) => (loopback.includes(host) ? undefined : "loosens"),
  port: "harmless",
  publicUrl: "server",
  allowedHosts: "loosens",
  workspaces: (folders) => (folders.every((folder) => folder === ".") ? undefined : "loosens"),
  linksNeedToken: "harmless",
  tokens: { each: { name: "harmless", tokenEnv: "secret", scopes: "harmless" } },
}

export const webhookRules: Rules<Config["webhooks"]> = {
  each: { url: "server", secretEnv: "secret", events: "harmless" },
}

export const inboundRules: Rules<Config["inbound"]> = {
  each: { type: "harmless", secretEnv: "secret", approvers: "loosens", repositories: "harmless" },
}

export const channelRules: Rules<Config["channels"]> = {
  each: {
    type: "harmless",
    outboundUrl: "server",
    secretEnv: "secret",
    agent: "harmless",
    commands: (allowed) => (allowed ? "loosens" : undefined),
    threadBindings: {
      enabled: "harmless",
      idleHours: "harmless",
      maxAgeHours: "harmless",
      spawnSubagentSessions: "harmless",
    },
  },
}

export const storeRules: Rules<Config["store"]> = {
  url: (url) => (url === defaults.store.url ? undefined : "server"),
}
