import type { Benchmark } from "./benchmark.ts"
import { approveAtOnce } from "./b11-approve-at-once.ts"
import { bytesStored } from "./b10-bytes-stored.ts"
import { decisionLatency } from "./b3-decision-latency.ts"
import { pausedMemory } from "./b4-paused-memory.ts"
import { recovery } from "./b6-recovery.ts"
import { runCommand } from "./b13-run-command.ts"
import { sseReaders } from "./b7-sse-readers.ts"
import { devStart } from "./b8-dev-start.ts"
import { growth } from "./b2-growth.ts"
import { manyAgents } from "./b12-many-agents.ts"
import { serverTuning } from "./b9-server-tuning.ts"
import { sessionsPerSecond } from "./b5-sessions-per-second.ts"
import { stepOverhead } from "./b1-step-overhead.ts"

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
]
