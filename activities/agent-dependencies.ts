import type { Redact } from "../domain/text/redact.ts"
import type { Client } from "@temporalio/client"
import type { Logger } from "pino"
import type { Timing } from "../contracts/config/timing.ts"
import type { Liveness } from "../domain/engine/liveness.ts"
import type { Machine } from "../engine/workers/machine.ts"
import type { EngineGuard } from "../engine/engine-guard.ts"
import type { Announcer } from "../sessions/delivery/announcer.ts"
import type { KeyCommands } from "../config/secrets/key-commands.ts"
import type { ModelSpec, RunSnapshot } from "../contracts/run-snapshot.ts"
import type { SandboxMode } from "../contracts/approval/run-policy.ts"
import type { ProviderName } from "../contracts/run/model-provider.ts"
import type { Retention } from "../contracts/config/retention.ts"
import type { Tracer } from "../sessions/tracer.ts"
import type { DailyLimits } from "../domain/limits/daily-limits.ts"
import type { ProviderLimits } from "../domain/limits/provider/provider-limits.ts"
import type { ScheduleActivities } from "./contract/schedule-activities.ts"
import type { WorkerPolicy } from "../domain/approval/worker-policy.ts"
import type { Skill } from "../domain/notes/skill.ts"
import type { ProjectNote } from "../domain/prompts/compose-system-prompt.ts"
import type { Surroundings } from "../domain/prompts/surroundings.ts"
import type { McpServers } from "../mcp-client/mcp-servers.ts"
import type { ModelError } from "../models/model-error.ts"
import type { ModelProvider, ModelRequest } from "../models/model-provider.ts"
import type { Store } from "../store/store.ts"
import type { StopFollower } from "./followed-calls.ts"
import type { WorkerSlots } from "./slots/worker-slots.ts"
import type { StreamedEvents } from "./streamed-events.ts"
import type { WorkerMetrics } from "./worker-metrics.ts"
import type { UnstartedCalls } from "./unstarted-calls.ts"
import type { Sandbox } from "../tools/sandbox/sandbox.ts"
import type { ChangeCheck } from "../tools/files/confined-path.ts"
import type { DirectoryCheck } from "../tools/files/directory-problem.ts"
import type { ChangePreview, PreviewPlace, WatchedFile } from "../tools/preview/preview-change.ts"
import type { CommandEnd, CommandOptions } from "../tools/bash.ts"
import type { WorktreeFiles } from "../tools/worktree/worktree-files.ts"
import type { FileChange, Tool, ToolContext } from "../tools/tool.ts"

/** A model call that failed, as far as the classifier looks at it. */
export interface FailedModelCall {
  readonly spec: ModelSpec
  readonly apiKey: string | undefined
  readonly signal: AbortSignal
  readonly tools: ModelRequest["tools"]
}

/** What the activities work with; the worker's composition root makes it. */
export interface AgentDependencies {
  readonly store: Store
  /** What is shown while it happens, batched for all sessions of this process. */
  readonly streamed: StreamedEvents
  readonly unstarted: UnstartedCalls
  readonly temporal: Client
  /** Compares the engine that answers with the one that the store belongs to. */
  readonly engine: Pick<EngineGuard, "verify" | "verifyFromTimeToTime" | "learnSchedule">
  /** The worker's own settings, for what belongs to no run. */
  readonly timing: Timing
  /** Looks in the store for requests to stop calls; absent if Temporal's own cancels are fast enough. */
  readonly stops: StopFollower | undefined
  /** How the death of a worker is noticed, and how a cancel reaches a call. */
  readonly liveness: Liveness
  readonly providers: Readonly<Record<ProviderName, ModelProvider>>
  readonly classifyModelError: (error: unknown, call: FailedModelCall) => ModelError
  /** Returns the headers that the configuration adds to a model's requests. Throws a `ModelError` if a variable is not set. */
  readonly requestHeaders: (
    spec: ModelSpec,
    env: Readonly<Record<string, string | undefined>>,
  ) => Readonly<Record<string, string>>
  /** Returns the name of the environment variable that contains a model's key; undefined if the model needs no key. */
  readonly apiKeyEnvOf: (spec: ModelSpec) => string | undefined
  /** The keys that programs print. */
  readonly keyCommands: KeyCommands
  readonly tools: ReadonlyMap<string, Tool>
  /** MCP servers, connected once for all runs of this worker. */
  readonly mcp: McpServers
  /** Keeps a result short enough for a transcript; the whole goes to a file in `spillDir`. */
  readonly cutOutput: (text: string, place: { readonly spillDir: string; readonly name: string }) => Promise<string>
  /** Runs the command of a task as Bash runs one, and waits for its end. */
  readonly runCommand: (command: string, context: ToolContext, options: CommandOptions) => Promise<CommandEnd>
  /** The kill switch of `binary` profiles, as this worker's configuration has it. */
  readonly allowBinaryAgents: boolean
  /** What this worker's configuration demands of every run. */
  /** Starts the task of a schedule; absent where the worker has no configuration of its own. */
  readonly startScheduled?: ScheduleActivities["startScheduled"]
  readonly workerPolicy?: WorkerPolicy
  /** The daily limits of the store, as this worker's configuration has them. */
  readonly dailyCaps: DailyLimits
  /** Exports traces; absent unless the environment names a receiver. */
  readonly tracer?: Tracer
  /** Counts what this worker does; absent in tests. */
  readonly metrics?: WorkerMetrics
  /** What the reconciler erases because of its age; default nothing. */
  readonly retention?: Retention
  /** What limits how many calls this worker process makes at a time. */
  readonly slots: WorkerSlots
  /** What providers accept from each key, as this worker's configuration has it; by what `providerKeyOf` returns. */
  readonly providerLimits: ReadonlyMap<string, ProviderLimits>
  /** `killGraceMs`: between SIGTERM and SIGKILL of what it runs; default 5 s. */
  readonly sandboxFor: (mode: SandboxMode, killGraceMs?: number) => Promise<Sandbox>
  /** The worker's environment: keys are read from it by name, tools get an allow-listed part. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The environment that tools get for an allow-list of names. */
  readonly toolEnv: (allow: readonly string[]) => Readonly<Record<string, string>>
  readonly dataDir: string
  /** The machine whose files and processes its tools reach. */
  readonly machine: Machine
  /** Why no tool runs in a session's working directory; undefined where tools may. */
  readonly directoryProblem: DirectoryCheck
  /** Directories inside a working directory that a confined process does not see. */
  readonly hiddenDirectories: (cwd: string) => Promise<readonly string[]>
  /** Absolute paths that the configuration of a run names, which are protected like the configuration itself. */
  readonly namedFiles: (snapshot: RunSnapshot) => readonly string[]
  /** Returns the protected path that a write to a file would change, relative to the working directory; undefined if it changes none. */
  readonly protectedChange: (snapshot: RunSnapshot, path: string) => Promise<string | undefined>
  /** Checks a change that no file tool makes, such as one of a merge, before it is made: nothing else would refuse it. */
  readonly checkChange: (snapshot: RunSnapshot, path: string) => Promise<ChangeCheck>
  /** The hosts whose pages a run may read without asking: those that the configuration allows to commands. */
  readonly webHosts: readonly string[]
  /** Returns where a path leads, through links, relative to the working directory; undefined if that is outside of it. */
  readonly pathInside: (snapshot: RunSnapshot, path: string) => Promise<string | undefined>
  /** What file tools would change, and what their files contain now. */
  readonly previews: {
    /** Undefined if there is no change. */
    readonly change: (
      snapshot: RunSnapshot,
      changes: readonly FileChange[],
      place: Omit<PreviewPlace, "redact">,
    ) => Promise<ChangePreview | undefined>
    /** Undefined if no call may change the file. */
    readonly watch: (snapshot: RunSnapshot, path: string) => Promise<WatchedFile | undefined>
    /** Returns how two texts differ, without secrets; undefined if they are too different. */
    readonly diff: (name: string, before: string, after: string) => Promise<string | undefined>
  }
  /** The git worktrees of sessions. */
  readonly worktrees: WorktreeFiles
  /** The facts about the place where a run works on this worker. */
  readonly readSurroundings: (snapshot: RunSnapshot) => Promise<Surroundings>
  /** The notes for agents that a working directory keeps. */
  readonly readProjectNotes: (cwd: string) => Promise<readonly ProjectNote[]>
  /** The skills that a working directory keeps. */
  readonly findSkills: (cwd: string) => Promise<readonly Skill[]>
  /** Takes every secret that the worker knows out of a text. */
  readonly redact: Redact
  /** Writes down what has to go out to webhooks and threads. */
  readonly announcer: Announcer
  readonly logger: Logger
}
