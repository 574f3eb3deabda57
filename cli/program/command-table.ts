import type { CommandEntry, ExitMeanings } from "./command.ts"

/** Exit codes of every command. */
export const commonExits: ExitMeanings = {
  0: "the command succeeded",
  1: "the command failed",
  2: "the usage or the configuration is wrong",
  129: "the terminal was closed",
  130: "the command was interrupted by SIGINT",
  143: "the command was interrupted by SIGTERM",
}

/** Exit codes of the commands that follow a run. */
const runExits: ExitMeanings = {
  0: "the run completed, or was started with --detach",
  1: "the run failed, was cancelled, or reached a limit",
  10: "the run is paused",
  129: "the terminal was closed; the run continues in the service",
}

/** Every command and its summary; the file of a command is loaded only when it is called. */
export const commandTable: readonly CommandEntry[] = [
  {
    heading: "Start and follow runs:",
    name: "run",
    summary: "Give an agent an instruction and follow the run until it ends or pauses",
    overHttp: true,
    exits: runExits,
    load: async () => (await import("../commands/run/run.ts")).runCommand,
  },
  {
    name: "resume",
    summary: "Continue a paused task, or give a completed one its next instruction",
    overHttp: true,
    exits: runExits,
    load: async () => (await import("../commands/run/resume.ts")).resumeCommand,
  },
  {
    name: "wait",
    summary: "Wait until a task ends or pauses, then print its result and exit like run",
    overHttp: true,
    exits: { ...runExits, 0: "the run completed", 1: "the run failed, or the time of --timeout elapsed" },
    load: async () => (await import("../commands/run/wait.ts")).waitCommand,
  },
  {
    name: "spawn",
    summary: "Start a sub-agent in the background",
    load: async () => (await import("../commands/run/spawn.ts")).spawnCommand,
  },
  {
    name: "fork",
    summary: "Start a new task from the first steps of another one",
    load: async () => (await import("../commands/sessions/fork.ts")).forkCommand,
  },
  {
    name: "replay",
    summary: "Make the model calls of a task again, and show what differs",
    exits: {
      0: "the calls and the outcome are the same, or the files of --as-test were written",
      1: "the calls or the outcome differ, or the replay reached a limit or a call without a recorded result",
    },
    load: async () => (await import("../commands/sessions/replay.ts")).replayCommand,
  },
  {
    heading: "Decide about calls:",
    name: "approvals",
    summary: "List the calls and questions that wait for a person",
    overHttp: true,
    load: async () => (await import("../commands/run/approvals.ts")).approvalsCommand,
  },
  {
    name: "grant",
    summary: "Approve certain calls of a task in advance",
    overHttp: true,
    load: async () => (await import("../commands/control/grants.ts")).grantCommand,
  },
  {
    name: "grants",
    summary: "List the grants of a task",
    overHttp: true,
    load: async () => (await import("../commands/control/grants.ts")).grantsCommand,
  },
  {
    name: "revoke",
    summary: "End a grant of a task",
    overHttp: true,
    load: async () => (await import("../commands/control/grants.ts")).revokeCommand,
  },
  {
    heading: "Look at tasks:",
    name: "list",
    summary: "List tasks, newest first",
    overHttp: true,
    load: async () => (await import("../commands/sessions/list.ts")).listCommand,
  },
  {
    name: "info",
    summary: "Show one task",
    overHttp: true,
    load: async () => (await import("../commands/sessions/list.ts")).infoCommand,
  },
  {
    name: "log",
    summary: "Show the transcript of a task",
    overHttp: true,
    load: async () => (await import("../commands/sessions/log.ts")).logCommand,
  },
  {
    name: "tree",
    summary: "Show a task and everything below it",
    load: async () => (await import("../commands/sessions/tree.ts")).treeCommand,
  },
  {
    name: "diff",
    summary: "Print what a sub-agent changed in its worktree",
    overHttp: true,
    load: async () => (await import("../commands/sessions/diff.ts")).diffCommand,
  },
  {
    name: "export",
    summary: "Print the transcript of a task as JSON lines",
    load: async () => (await import("../commands/sessions/log.ts")).exportCommand,
  },
  {
    name: "audit",
    summary: "List who decided what, when, and through which channel",
    overHttp: true,
    load: async () => (await import("../commands/sessions/audit.ts")).auditCommand,
  },
  {
    name: "agents",
    summary: "List the profiles that agents can run as",
    overHttp: true,
    load: async () => (await import("../commands/sessions/agents.ts")).agentsCommand,
  },
  {
    heading: "Control tasks:",
    name: "send",
    summary: "Send a message to a task",
    overHttp: true,
    load: async () => (await import("../commands/control/send.ts")).sendCommand,
  },
  {
    name: "steer",
    summary: "Redirect a running task at its next safe point",
    overHttp: true,
    load: async () => (await import("../commands/control/send.ts")).steerCommand,
  },
  {
    name: "retry",
    summary: "Retry a delivery, or the model call of a task that waits for its provider",
    overHttp: true,
    load: async () => (await import("../commands/control/change-deliveries.ts")).retryCommand,
  },
  {
    name: "cancel",
    summary: "Cancel a task and all its children",
    endsTasks: true,
    overHttp: true,
    load: async () => (await import("../commands/control/cancel.ts")).cancelCommand,
  },
  {
    name: "kill",
    summary: "Cancel a task, or all children of a task",
    endsTasks: true,
    overHttp: true,
    load: async () => (await import("../commands/control/cancel.ts")).killCommand,
  },
  {
    name: "stop",
    summary: "Cancel every task of this store",
    exits: { 1: "a task is still stopping, or nothing was cancelled because it was not confirmed" },
    endsTasks: true,
    overHttp: true,
    load: async () => (await import("../commands/control/stop.ts")).stopCommand,
  },
  {
    name: "delete",
    summary: "Cancel a task and erase its transcript and those of its children",
    endsTasks: true,
    load: async () => (await import("../commands/sessions/delete.ts")).deleteCommand,
  },
  {
    heading: "Webhooks and channels:",
    name: "deliveries",
    summary: "List the deliveries to webhooks and channels",
    load: async () => (await import("../commands/control/deliveries.ts")).deliveriesCommand,
  },
  {
    name: "dismiss",
    summary: "Stop trying to send a delivery",
    load: async () => (await import("../commands/control/change-deliveries.ts")).dismissCommand,
  },
  {
    name: "focus",
    summary: "Bind a thread of a channel to a task",
    load: async () => (await import("../commands/control/focus.ts")).focusCommand,
  },
  {
    name: "unfocus",
    summary: "Remove the binding between a task and a thread",
    load: async () => (await import("../commands/control/focus.ts")).unfocusCommand,
  },
  {
    name: "session",
    summary: "Show or set when a task's binding to its thread expires",
    load: async () => (await import("../commands/sessions/session.ts")).sessionCommand,
  },
  {
    heading: "Run servers:",
    name: "dev",
    summary: "Run Temporal, a worker and the HTTP API in one process",
    load: async () => (await import("../commands/serve/serve.ts")).devCommand,
  },
  {
    name: "worker",
    summary: "Run the tasks of this store until stopped",
    load: async () => (await import("../commands/serve/serve.ts")).workerCommand,
  },
  {
    name: "serve",
    summary: "Serve the HTTP API until stopped",
    load: async () => (await import("../commands/serve/serve.ts")).serveCommand,
  },
  {
    name: "mcp",
    summary: "Serve the delegation tools to an MCP client on stdin and stdout",
    load: async () => (await import("../commands/serve/mcp.ts")).mcpCommand,
  },
  {
    name: "service",
    summary: "Start, stop and show the process that does the work in the background",
    exits: { 1: "the service is still stopping, or the unit was not written" },
    load: async () => (await import("../commands/service/service.ts")).serviceCommand,
  },
  {
    name: "temporal-ui",
    summary: "Serve a Temporal UI behind a proxy that protects it from web pages",
    load: async () => (await import("../commands/serve/temporal-ui.ts")).temporalUiCommand,
  },
  {
    name: "open",
    summary: "Open the web page, signed in",
    load: async () => (await import("../commands/service/open.ts")).openCommand,
  },
  {
    name: "token",
    summary: "Print the token of the HTTP API",
    load: async () => (await import("../commands/serve/token.ts")).tokenCommand,
  },
  {
    heading: "Store, Temporal and this machine:",
    name: "engine",
    summary: "Show which Temporal this store belongs to, or move it to another one",
    exits: { 1: "the store belongs to another Temporal" },
    load: async () => (await import("../commands/serve/engine.ts")).engineCommand,
  },
  {
    name: "move",
    summary: "Take over the tasks of another project or data directory",
    exits: { 1: "nothing was moved because it was not confirmed" },
    load: async () => (await import("../commands/serve/move.ts")).moveCommand,
  },
  {
    name: "backup",
    summary: "Write a backup of the data directory, without token and keys",
    load: async () => (await import("../commands/serve/backup.ts")).backupCommand,
  },
  {
    name: "restore",
    summary: "Take over a backup, on another machine or at another path",
    load: async () => (await import("../commands/serve/backup.ts")).restoreCommand,
  },
  {
    name: "reconcile",
    summary: "Compare open tasks with Temporal, and record missing outcomes",
    exits: { 1: "too many tasks are missing, so none of them was ended" },
    load: async () => (await import("../commands/serve/reconcile.ts")).reconcileCommand,
  },
  {
    name: "trust",
    summary: "Accept the configuration of a project",
    exits: { 1: "the configuration was not trusted" },
    load: async () => (await import("../commands/serve/trust.ts")).trustCommand,
  },
  {
    name: "mcp-login",
    summary: "Log in at an MCP server that requires it",
    exits: { 1: "the login failed" },
    load: async () => (await import("../commands/serve/mcp-login.ts")).mcpLoginCommand,
  },
  {
    name: "doctor",
    summary: "Check that this machine has what Adjutant needs",
    exits: { 1: "something that Adjutant requires is missing" },
    load: async () => (await import("../commands/serve/doctor.ts")).doctorCommand,
  },
  {
    name: "demo",
    summary: "Show how an agent survives the crash of its worker (offline, under a minute)",
    exits: { ...runExits, 0: "the run completed" },
    load: async () => (await import("../commands/run/demo.ts")).demoCommand,
  },
]
