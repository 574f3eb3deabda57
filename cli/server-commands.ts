import type { CommandEntry } from "./commands/command.ts"
import { runExits } from "./terminal/exit-code.ts"

/** The commands that are about servers, channels, the store and this machine, not about single tasks. */
export const serverCommands: readonly CommandEntry[] = [
  {
    heading: "Webhooks and channels:",
    name: "deliveries",
    summary: "List the deliveries to webhooks and channels",
    load: async () => (await import("./commands/control/deliveries.ts")).deliveriesCommand,
  },
  {
    name: "schedule",
    summary: "Start tasks by themselves: list, add, pause, resume, trigger and delete schedules",
    overHttp: true,
    load: async () => (await import("./commands/control/schedules.ts")).scheduleCommand,
  },
  {
    name: "notify",
    summary: "Send a sample to a destination of notify",
    load: async () => (await import("./commands/control/notify.ts")).notifyCommand,
  },
  {
    name: "dismiss",
    summary: "Stop trying to send a delivery",
    load: async () => (await import("./commands/control/change-deliveries.ts")).dismissCommand,
  },
  {
    name: "focus",
    summary: "Bind a thread of a channel to a task",
    load: async () => (await import("./commands/control/focus.ts")).focusCommand,
  },
  {
    name: "unfocus",
    summary: "Remove the binding between a task and a thread",
    load: async () => (await import("./commands/control/focus.ts")).unfocusCommand,
  },
  {
    name: "session",
    summary: "Show or set when a task's binding to its thread expires",
    load: async () => (await import("./commands/sessions/session.ts")).sessionCommand,
  },
  {
    heading: "Run servers:",
    name: "dev",
    summary: "Run Temporal, a worker and the HTTP API in one process",
    load: async () => (await import("./commands/serve/serve.ts")).devCommand,
  },
  {
    name: "worker",
    summary: "Run the tasks of this store until stopped",
    load: async () => (await import("./commands/serve/serve.ts")).workerCommand,
  },
  {
    name: "serve",
    summary: "Serve the HTTP API until stopped",
    load: async () => (await import("./commands/serve/serve.ts")).serveCommand,
  },
  {
    name: "mcp",
    summary: "Serve the delegation tools to an MCP client on stdin and stdout",
    load: async () => (await import("./commands/serve/mcp.ts")).mcpCommand,
  },
  {
    name: "service",
    summary: "Start, stop and show the process that does the work in the background",
    exits: { 1: "the service is still stopping, or the unit was not written" },
    load: async () => (await import("./commands/service/service.ts")).serviceCommand,
  },
  {
    name: "temporal-ui",
    summary: "Serve a Temporal UI behind a proxy that protects it from web pages",
    load: async () => (await import("./commands/serve/temporal-ui.ts")).temporalUiCommand,
  },
  {
    name: "open",
    summary: "Open the web page, signed in",
    load: async () => (await import("./commands/service/open.ts")).openCommand,
  },
  {
    name: "completion",
    summary: "Print the completion script of a shell: bash, zsh or fish",
    load: async () => (await import("./commands/service/completion.ts")).completionCommand,
  },
  {
    name: "token",
    summary: "Print the token of the HTTP API",
    load: async () => (await import("./commands/serve/token.ts")).tokenCommand,
  },
  {
    heading: "Store, Temporal and this machine:",
    name: "engine",
    summary: "Show which Temporal this store belongs to, or move it to another one",
    exits: { 1: "the store belongs to another Temporal" },
    load: async () => (await import("./commands/serve/engine.ts")).engineCommand,
  },
  {
    name: "move",
    summary: "Take over the tasks of another project or data directory",
    exits: { 1: "nothing was moved because it was not confirmed" },
    load: async () => (await import("./commands/serve/move.ts")).moveCommand,
  },
  {
    name: "backup",
    summary: "Write a backup of the data directory, without token and keys",
    load: async () => (await import("./commands/serve/backup.ts")).backupCommand,
  },
  {
    name: "restore",
    summary: "Take over a backup, on another machine or at another path",
    load: async () => (await import("./commands/serve/backup.ts")).restoreCommand,
  },
  {
    name: "reconcile",
    summary: "Compare open tasks with Temporal, and record missing outcomes",
    exits: { 1: "too many tasks are missing, so none of them was ended" },
    load: async () => (await import("./commands/serve/reconcile.ts")).reconcileCommand,
  },
  {
    name: "trust",
    summary: "Accept the configuration of a project",
    exits: { 1: "the configuration was not trusted" },
    load: async () => (await import("./commands/serve/trust.ts")).trustCommand,
  },
  {
    name: "mcp-login",
    summary: "Log in at an MCP server that requires it",
    exits: { 1: "the login failed" },
    load: async () => (await import("./commands/serve/mcp-login.ts")).mcpLoginCommand,
  },
  {
    name: "doctor",
    summary: "Check that this machine has what Adjutant needs",
    exits: { 1: "something that Adjutant requires is missing" },
    load: async () => (await import("./commands/serve/doctor.ts")).doctorCommand,
  },
  {
    name: "support-bundle",
    summary: "Show and write what a report about a problem needs, without secrets and texts of tasks",
    exits: { 1: "nothing was written because it was not confirmed" },
    load: async () => (await import("./commands/serve/support-bundle.ts")).supportBundleCommand,
  },
  {
    name: "sandbox",
    summary: "Run a command in the sandbox of agents, or erase what such commands have downloaded",
    exits: { 1: "the command failed" },
    load: async () => (await import("./commands/serve/sandbox.ts")).sandboxCommand,
  },
  {
    name: "demo",
    summary: "Show how an agent survives the crash of its worker (offline, under a minute)",
    exits: { ...runExits, 0: "the run completed" },
    load: async () => (await import("./commands/run/demo.ts")).demoCommand,
  },
]
