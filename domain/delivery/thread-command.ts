/** A command that a person writes in a thread of a channel with `commands: true`. A missing target or text is answered with the usage. */
export type ThreadCommand =
  | { readonly name: "agents" | "list" | "stop" | "help" }
  | { readonly name: "kill" | "info"; readonly target: string }
  | { readonly name: "steer"; readonly target: string; readonly text: string }

export const threadCommandHelp = [
  "/agents: the profiles, with the tasks of this thread that are active or have a thread",
  "/list: the sub-agents of this thread's task, with their numbers",
  "/info [id, #n or label]: everything about this thread's task or a sub-agent",
  "/stop: cancel this thread's task and all its sub-agents",
  "/kill <id, #n, label or all>: cancel a sub-agent, or all of them",
  "/steer <id, #n or label> <text>: redirect a sub-agent at its next safe point",
  "/help: this list",
  "Everything else goes to the agent.",
].join("\n")

/** Returns the command in a message; undefined if the message is for the agent. */
export const parseThreadCommand = (message: string): ThreadCommand | undefined => {
  const [, name, rest = ""] = /^\/([a-z]+)(?:\s+(\S[\s\S]*))?$/.exec(message.trim()) ?? []
  switch (name) {
    case "agents":
    case "list":
    case "stop":
    case "help":
      return rest === "" ? { name } : undefined
    case "kill":
    case "info":
      return { name, target: rest }
    case "steer": {
      const [, target = "", text = ""] = /^(\S+)\s+([\s\S]+)$/.exec(rest) ?? []
      return { name, target, text }
    }
    default:
      return undefined
  }
}
