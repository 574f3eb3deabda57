import { expect, it } from "vitest"
import { delegationTools } from "../../../../contracts/delegation/delegation-tools.ts"
import { type Case, openBothSides, type Side } from "./both-sides.ts"

const of = (title: string, tool: string, args: Case["args"] | Readonly<Record<string, unknown>> = {}): Case => ({
  title,
  tool,
  args: typeof args === "function" ? (ids: Side["ids"]) => args(ids) : () => args,
})

/** Every tool at least once, in an order in which each call finds what it needs. */
const cases: readonly Case[] = [
  of("one that waits for a decision", "get_task_details", ({ asks }) => ({ task_id: asks })),
  of("one that asks", "get_task_details", ({ question }) => ({ task_id: question })),
  of("one that has ended", "get_task_details", ({ done }) => ({ task_id: done })),
  of("an unknown one", "get_task_details", { task_id: "nosuch" }),
  of("all", "get_all_tasks"),
  of("all", "sessions_list"),
  of("of an unknown parent", "sessions_list", { parent: "nosuch" }),
  of("with its calls", "sessions_history", ({ asks }) => ({ sessionKey: asks, includeTools: true })),
  of("the newest row", "sessions_history", ({ asks }) => ({ sessionKey: asks, limit: 1 })),
  of("an empty one", "sessions_history", ({ done }) => ({ sessionKey: done, limit: 1 })),
  of("all", "agents_list"),
  of("one", "agents_list", { agentId: "explore" }),
  of("one that is not allowed", "agents_list", { agentId: "summary" }),
  of("list", "subagents", { action: "list" }),
  of("info", "subagents", ({ done }) => ({ action: "info", target: done })),
  of("diff without a worktree", "subagents", ({ done }) => ({ action: "diff", target: done })),
  of("log", "subagents", ({ asks }) => ({ action: "log", target: asks })),
  of("steer without a message", "subagents", ({ asks }) => ({ action: "steer", target: asks })),
  of("steer without a target", "subagents", { action: "steer", message: "left" }),
  of("steer one that has ended", "subagents", ({ done }) => ({ action: "steer", target: done, message: "left" })),
  of("steer an unknown one", "subagents", { action: "steer", target: "nosuch", message: "left" }),
  of("wait for all", "subagents", { action: "wait" }),
  of("all open ones", "sessions_yield"),
  of("one", "wait_for_tasks", ({ done }) => ({ task_ids: [done] })),
  of("none", "wait_for_tasks", { task_ids: " " }),
  of("an unknown one", "wait_for_tasks", { task_ids: "nosuch" }),
  of("an unknown call", "resume_subagent_task", ({ asks }) => ({ task_id: asks, approve: ["call_9"] })),
  of("a stale checkpoint", "resume_subagent_task", ({ asks }) => ({
    ...{ task_id: asks, checkpoint_id: "cp_old", approve_all: true },
  })),
  of("neither", "resume_task", ({ asks }) => ({ task_id: asks })),
  of("a decision", "resume_subagent_task", ({ asks }) => ({ task_id: asks, reject: ["call_2"] })),
  of("an answer", "resume_task", ({ question }) => ({ task_id: question, prompt: "a.txt" })),
  of("an unknown one", "resume_task", { task_id: "nosuch", prompt: "a.txt" }),
  of("to one that works", "sessions_send", ({ question }) => ({ sessionKey: question, message: "and b.txt" })),
  of("steer one that works", "subagents", ({ question }) => ({ action: "steer", target: question, message: "left" })),
  of("to one that has ended", "sessions_send", ({ done }) => ({ sessionKey: done, message: "again" })),
  of("one that works", "cancel_task", ({ asks }) => ({ task_id: asks })),
  of("one that has ended", "cancel_task", ({ asks }) => ({ task_id: asks })),
  of("kill nothing in particular", "subagents", { action: "kill" }),
  of("kill all", "subagents", { action: "kill", target: "all" }),
  of("one more", "dynamic_subagent_task", { description: "Look", instructions: "look", tools: ["LS"] }),
  of("without tools", "dynamic_subagent_task", { description: "Look", instructions: "look", tools: [] }),
  of("a command", "run_command_task", { command: "make", description: "Build" }),
  of("one more", "sessions_spawn", { task: "say hello", label: "other" }),
  of("kill one", "subagents", { action: "kill", target: "other" }),
  of("an unknown model", "sessions_spawn", { task: "say hello", model: "nosuch" }),
  of("a profile that is not allowed", "sessions_spawn", { task: "say hello", agentId: "summary" }),
  of("an answer", "Task", { description: "Look", prompt: "look", subagent_type: "explore" }),
  of("wrong arguments", "Task", { description: "Look", prompt: "", subagent_type: "explore" }),
  of("one more", "sessions_spawn", { task: "say hello" }),
  of("one more", "sessions_spawn", { task: "say hello" }),
  of("one too many", "sessions_spawn", { task: "say hello" }),
  of("merge of an unknown one", "sessions_merge", { sessionKey: "nosuch", tree: "a".repeat(40) }),
]

/** Where the texts differ, because what happens does: an agent's request to stop or answer a sub-agent takes effect later. */
const different = [
  "sessions_send: to one that works",
  "cancel_task: one that works",
  "subagents: kill all",
  "subagents: kill one",
  // The model of a run gets the envelope.
  "Task: an answer",
  "Task: wrong arguments",
  // Only an agent has it.
  "sessions_merge: merge of an unknown one",
]

const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, "    ")

it("says the same to an agent and to an MCP client, but for what happens later", async () => {
  const { callBoth } = await openBothSides()
  const sections: string[] = []
  const differing: string[] = []
  for (const made of cases) {
    const shown = await callBoth(made)
    if (new Set(shown.map(({ text }) => text)).size > 1) differing.push(`${made.tool}: ${made.title}`)
    const parts = (["text", "data"] as const).flatMap((kind) => {
      const versions = Map.groupBy(
        shown.flatMap(({ who, [kind]: text }) => (text === undefined ? [] : [{ who, text }])),
        ({ text }) => text,
      )
      return [...versions].map(
        ([text, readers]) => `  ${kind} for ${readers.map(({ who }) => who).join(" and ")}:\n${indented(text)}`,
      )
    })
    sections.push([`${made.tool}: ${made.title}`, ...parts].join("\n"))
  }
  expect(differing).toEqual(different)
  expect(new Set(cases.map(({ tool }) => tool))).toEqual(new Set(delegationTools.map(({ name }) => name)))
  await expect(`${sections.join("\n\n")}\n`).toMatchFileSnapshot("both-sides.txt")
})
