import type { SubagentsInput } from "../../contracts/delegation/sessions-input.ts"

/** What a person sets for a sub-agent at the end of the command. */
interface SpawnSettings {
  readonly model?: string
  /** As it was written. */
  readonly thinking?: string
}

/** A command that a person writes in a thread of a channel with `commands: true`. */
export type ThreadCommand =
  | { readonly name: "agents" | "stop" | "help" | "unfocus" }
  /** What the tool `subagents` does. Without a target, `info` and `log` are about the thread's task. */
  | { readonly name: "subagents"; readonly input: SubagentsInput }
  | ({ readonly name: "spawn"; readonly agent: string; readonly task: string } & SpawnSettings)
  | { readonly name: "focus"; readonly target: string }
  | { readonly name: "session"; readonly setting: "idle" | "max-age"; readonly duration: string }

export const threadCommandHelp = [
  "/agents: the profiles, with the tasks of this thread that are active or have a thread",
  "/list: the sub-agents of this thread's task, with their numbers",
  "/info [id, #n or label]: everything about this thread's task or a sub-agent",
  "/log [id, #n or label] [rows] [tools]: the messages, with `tools` also the tool calls",
  "/send <id, #n or label> <text>: give a sub-agent another instruction, or answer its question",
  "/steer <id, #n or label> <text>: redirect a sub-agent at its next safe point",
  "/kill <id, #n, label or all>: cancel a sub-agent, or all of them",
  "/spawn <profile> <task> [--model <name>] [--thinking <level>]: start a sub-agent of this thread's task",
  "/stop: cancel this thread's task and all its sub-agents",
  "/focus <id, #n or label>: continue this thread with a sub-agent",
  "/unfocus: end the binding of this thread",
  "/session idle|max-age <duration or off>: when the binding of this thread ends",
  "/help: this list",
  "The commands for sub-agents can also be written /subagents list, /subagents info, and so on. Everything else goes to the agent.",
].join("\n")

const help: ThreadCommand = { name: "help" }

const targetOf = (rest: string): { readonly target?: string } => (rest === "" ? {} : { target: rest })

const told = (action: "send" | "steer", rest: string): ThreadCommand => {
  const [, target, message] = /^(\S+)\s+([\s\S]+)$/.exec(rest) ?? []
  return {
    name: "subagents",
    input: target === undefined || message === undefined ? { action, ...targetOf(rest) } : { action, target, message },
  }
}

const logged = (rest: string): ThreadCommand => {
  const [, target = "", rows, tools] = /^(.*?)(?:(?:^|\s+)(\d+))?(?:(?:^|\s+)(tools))?$/s.exec(rest) ?? []
  const limit = rows === undefined ? {} : { limit: Number(rows) }
  return {
    name: "subagents",
    input: { action: "log", ...targetOf(target), ...limit, ...(tools === undefined ? {} : { includeTools: true }) },
  }
}

/** Takes `--model` and `--thinking` from the end of a command. */
const settingsOf = (text: string): SpawnSettings & { readonly task: string } => {
  const [, task, option, value = ""] = /^([\s\S]*\S)\s+--(model|thinking)(?:\s+|=)(\S+)\s*$/.exec(text) ?? []
  if (task === undefined) return { task: text }
  return { ...settingsOf(task), ...(option === "model" ? { model: value } : { thinking: value }) }
}

const spawned = (rest: string): ThreadCommand => {
  const [, agent, text] = /^(\S+)\s+([\s\S]+)$/.exec(rest) ?? []
  return agent === undefined || text === undefined ? help : { name: "spawn", agent, ...settingsOf(text) }
}

/** Returns the command about sub-agents, which can be written with and without `/subagents`; undefined if it is none. */
const aboutSubAgents = (action: string, rest: string): ThreadCommand | undefined => {
  switch (action) {
    case "list":
      return rest === "" ? { name: "subagents", input: { action } } : help
    case "info":
    case "kill":
      return { name: "subagents", input: { action, ...targetOf(rest) } }
    case "log":
      return logged(rest)
    case "send":
    case "steer":
      return told(action, rest)
    case "spawn":
      return spawned(rest)
    default:
      return undefined
  }
}

const split = (text: string): readonly [word: string, rest: string] => {
  const [, word = "", rest = ""] = /^(\S+)(?:\s+([\s\S]*))?$/.exec(text) ?? []
  return [word, rest]
}

const session = (rest: string): ThreadCommand => {
  const [setting, duration] = split(rest)
  return (setting === "idle" || setting === "max-age") && duration !== ""
    ? { name: "session", setting, duration }
    : help
}

/**
 * Returns the command in a message; undefined if the message is for the agent. What has the form of a command is never for the agent: if it is none, the
 * answer is the list of commands.
 */
export const parseThreadCommand = (message: string): ThreadCommand | undefined => {
  const [, name, rest = ""] = /^\/([a-z-]+)(?:\s+(\S[\s\S]*))?$/.exec(message.trim()) ?? []
  switch (name) {
    case undefined:
      return undefined
    case "agents":
    case "stop":
    case "unfocus":
      return rest === "" ? { name } : help
    case "focus":
      return rest === "" ? help : { name, target: rest }
    case "session":
      return session(rest)
    case "subagents":
      return aboutSubAgents(...split(rest)) ?? help
    default:
      return aboutSubAgents(name, rest) ?? help
  }
}
