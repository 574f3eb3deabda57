import type { Benchmark } from "./benchmark.ts"
import { actions } from "./measurements/engine/b14-actions.ts"
import { approveAtOnce } from "./measurements/b11-approve-at-once.ts"
import { bytesStored } from "./measurements/b10-bytes-stored.ts"
import { decisionLatency } from "./measurements/b3-decision-latency.ts"
import { pausedMemory } from "./measurements/b4-paused-memory.ts"
import { modelCallsAtOnce } from "./measurements/engine/b23-model-calls-at-once.ts"
import { prefixEquality } from "./measurements/prompts/b25-prefix-equality.ts"
import { providerLimits } from "./measurements/engine/b15-provider-limits.ts"
import { reconcilerPass } from "./measurements/engine/b18-reconciler-pass.ts"
import { recovery } from "./measurements/b6-recovery.ts"
import { runCommand } from "./measurements/b13-run-command.ts"
import { sseReaders } from "./measurements/b7-sse-readers.ts"
import { devStart } from "./measurements/b8-dev-start.ts"
import { growth } from "./measurements/b2-growth.ts"
import { idleDev } from "./measurements/engine/b16-idle-dev.ts"
import { manyAgents } from "./measurements/b12-many-agents.ts"
import { serverTuning } from "./measurements/b9-server-tuning.ts"
import { sessionsPerSecond } from "./measurements/b5-sessions-per-second.ts"
import { idleMemory } from "./measurements/service/b22-idle-memory.ts"
import { killedService } from "./measurements/service/b27-killed-service.ts"
import { mcpClient } from "./measurements/service/b21-mcp-client.ts"
import { overService } from "./measurements/service/b19-run-over-service.ts"
import { readingCommands } from "./measurements/service/b20-reading-commands.ts"
import { stepOverhead } from "./measurements/b1-step-overhead.ts"

/** In the order in which they run. */
export const benchmarks: readonly Benchmark[] = [
  stepOverhead,
  growth,
  decisionLatency,
  pausedMemory,
  sessionsPerSecond,
  recovery,
  sseReaders,
  devStart,
  serverTuning,
  bytesStored,
  approveAtOnce,
  manyAgents,
  runCommand,
  idleDev,
  actions,
  providerLimits,
  reconcilerPass,
  overService,
  readingCommands,
  mcpClient,
  idleMemory,
  killedService,
  modelCallsAtOnce,
  prefixEquality,
]
