import type { CommandModule } from "./command.ts"
import type { ExitCode } from "./exit-code.ts"

/** What exit codes of a command mean, where they differ from `commonExits`. */
export type ExitMeanings = Readonly<Partial<Record<ExitCode, string>>>

export interface CommandEntry {
  readonly name: string
  readonly summary: string
  readonly exits?: ExitMeanings
  load(): Promise<CommandModule>
}

/** Exit codes of every command. */
export const commonExits: ExitMeanings = {
  0: "the command succeeded",
  1: "it failed",
  2: "the usage or the configuration is wrong",
  130: "it was interrupted by SIGINT",
  143: "it was interrupted by SIGTERM",
}

/** Exit codes of the commands that follow a run. */
const runExits: ExitMeanings = {
  0: "the run is completed, or was started with --detach",
  1: "the run failed, was cancelled, or reached a limit",
  10: "the run is paused",
}

/** Every command with what help shows of it; its file is loaded only when it is called. */
export const commandTable: readonly CommandEntry[] = [
  {
    name: "run",
    summary: "give an agent an instruction and follow it to its end or its next pause",
    exits: runExits,
    load: async () => (await import("../commands/run/run.ts")).runCommand,
  },
  {
    name: "resume",
    summary: "go on with a paused or completed task",
    exits: runExits,
    load: async () => (await import("../commands/run/resume.ts")).resumeCommand,
  },
  {
    name: "wait",
    summary: "wait until a task is final or paused; prints and exits like run",
    exits: { ...runExits, 0: "the run is completed", 1: "the run failed, or --timeout elapsed" },
    load: async () => (await import("../commands/run/wait.ts")).waitCommand,
  },
  {
    name: "list",
    summary: "list tasks, newest first",
    load: async () => (await import("../commands/sessions/list.ts")).listCommand,
  },
  {
    name: "info",
    summary: "show one task",
    load: async () => (await import("../commands/sessions/list.ts")).infoCommand,
  },
  {
    name: "log",
    summary: "show what was said in a task",
    load: async () => (await import("../commands/sessions/log.ts")).logCommand,
  },
  {
    name: "approvals",
    summary: "list all that waits for a person",
    load: async () => (await import("../commands/run/approvals.ts")).approvalsCommand,
  },
  {
    name: "send",
    summary: "send a message to a task",
    load: async () => (await import("../commands/control/send.ts")).sendCommand,
  },
  {
    name: "steer",
    summary: "redirect a running task at its next safe point",
    load: async () => (await import("../commands/control/send.ts")).steerCommand,
  },
  {
    name: "cancel",
    summary: "cancel a task and all its children",
    load: async () => (await import("../commands/control/cancel.ts")).cancelCommand,
  },
  {
    name: "delete",
    summary: "cancel a task and erase what was said in it and below it",
    load: async () => (await import("../commands/sessions/delete.ts")).deleteCommand,
  },
  {
    name: "spawn",
    summary: "start a sub-agent in the background",
    load: async () => (await import("../commands/run/spawn.ts")).spawnCommand,
  },
  {
    name: "kill",
    summary: "cancel a task, or all children of one",
    load: async () => (await import("../commands/control/cancel.ts")).killCommand,
  },
  {
    name: "tree",
    summary: "show a task with everything below it",
    load: async () => (await import("../commands/sessions/tree.ts")).treeCommand,
  },
  {
    name: "fork",
    summary: "begin a new task with the first steps of another one",
    load: async () => (await import("../commands/sessions/fork.ts")).forkCommand,
  },
  {
    name: "agents",
    summary: "list the profiles that can be run",
    load: async () => (await import("../commands/sessions/agents.ts")).agentsCommand,
  },
  {
    name: "deliveries",
    summary: "list what goes out to webhooks and channels",
    load: async () => (await import("../commands/control/deliveries.ts")).deliveriesCommand,
  },
  {
    name: "retry",
    summary: "try a delivery again",
    load: async () => (await import("../commands/control/change-deliveries.ts")).retryCommand,
  },
  {
    name: "dismiss",
    summary: "give up a delivery for good",
    load: async () => (await import("../commands/control/change-deliveries.ts")).dismissCommand,
  },
  {
    name: "focus",
    summary: "bind a channel's thread to a task",
    load: async () => (await import("../commands/control/focus.ts")).focusCommand,
  },
  {
    name: "unfocus",
    summary: "free a task or a thread from its binding",
    load: async () => (await import("../commands/control/focus.ts")).unfocusCommand,
  },
  {
    name: "session",
    summary: "set when a task's binding to its thread ends",
    load: async () => (await import("../commands/sessions/session.ts")).sessionCommand,
  },
  {
    name: "audit",
    summary: "list who decided what, when and by which way",
    load: async () => (await import("../commands/sessions/audit.ts")).auditCommand,
  },
  {
    name: "export",
    summary: "print a task's transcript as JSON lines",
    load: async () => (await import("../commands/sessions/log.ts")).exportCommand,
  },
  {
    name: "reconcile",
    summary: "compare open tasks with Temporal now, and record what is missing",
    exits: { 1: "it stopped, because too many tasks are missing" },
    load: async () => (await import("../commands/serve/reconcile.ts")).reconcileCommand,
  },
  {
    name: "engine",
    summary: "show which Temporal this store belongs to, or move it to another one",
    exits: { 1: "the store belongs to another Temporal" },
    load: async () => (await import("../commands/serve/engine.ts")).engineCommand,
  },
  {
    name: "worker",
    summary: "serve the tasks of this store until stopped",
    load: async () => (await import("../commands/serve/serve.ts")).workerCommand,
  },
  {
    name: "mcp",
    summary: "serve the delegation tools to an MCP client on stdin and stdout",
    load: async () => (await import("../commands/serve/mcp.ts")).mcpCommand,
  },
  {
    name: "serve",
    summary: "serve the HTTP API until stopped",
    load: async () => (await import("../commands/serve/serve.ts")).serveCommand,
  },
  {
    name: "dev",
    summary: "run all that a developer needs in one process",
    load: async () => (await import("../commands/serve/serve.ts")).devCommand,
  },
  {
    name: "temporal-ui",
    summary: "serve a Temporal UI of yours so that no web page can use it",
    load: async () => (await import("../commands/serve/temporal-ui.ts")).temporalUiCommand,
  },
  {
    name: "doctor",
    summary: "check what this machine lacks",
    exits: { 1: "something that Adjutant requires is missing" },
    load: async () => (await import("../commands/serve/doctor.ts")).doctorCommand,
  },
  {
    name: "demo",
    summary: "see an agent survive the death of its worker (offline, under a minute)",
    exits: runExits,
    load: async () => (await import("../commands/run/demo.ts")).demoCommand,
  },
]
