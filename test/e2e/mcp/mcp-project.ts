import path from "node:path"
import { createProject, type ProjectDirectory } from "../cli/program.ts"

const launcher = path.resolve(import.meta.dirname, "../../../bin/adjutant.js")

const writeCall = { id: "tc_write", name: "Write", arguments: { file_path: "plan.txt", content: "applied\n" } }

/**
 * Written conversations of the sub-agents that the tests start, by the start of their instruction. None calls Bash: where no sandbox works, the
 * project would have to be trusted first.
 */
const conversations = [
  {
    when: { user: "deploy" },
    turns: [
      { reply: { text: "About to write the plan.", tool_calls: [writeCall] } },
      { reply: { text: "Deployed." } },
      { reply: { text: "Deployed again." } },
    ],
  },
  {
    when: { user: "(^|\n)find" },
    turns: [
      { reply: { tool_calls: [{ id: "tc_ls", name: "LS", arguments: {} }] } },
      { reply: { text: "Found it in adjutant.config.yaml." } },
    ],
  },
  {
    when: { user: "(^|\n)try to change" },
    turns: [
      {
        reply: {
          tool_calls: [
            { id: "tc_write", name: "Write", arguments: { file_path: "x.txt", content: "x" } },
            { id: "tc_edit", name: "Edit", arguments: { file_path: "x.txt", old_string: "a", new_string: "b" } },
            { id: "tc_task", name: "Task", arguments: { description: "d", prompt: "p", subagent_type: "explore" } },
            { id: "tc_ls", name: "LS", arguments: {} },
          ],
        },
      },
      { reply: { text: "I could only look." } },
    ],
  },
  { when: { user: "(^|\n)slow" }, turns: [{ reply: { text: "Late.", delay_ms: 600_000 } }] },
  { turns: [{ reply: { text: "<think>hm</think>Hello from a sub-agent." } }, { reply: { text: "And again." } }] },
]

export const createMcpProject = (): Promise<ProjectDirectory> =>
  createProject({ main: { conversations }, light: { conversations } })

/** Returns how a client starts the server, without the developer's environment. */
export const mcpCommand = (project: ProjectDirectory, ...flags: readonly string[]) => {
  return {
    command: process.execPath,
    args: [launcher, "mcp", ...flags],
    cwd: project.cwd,
    env: Object.fromEntries(
      Object.entries(project.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
    ),
    stderr: "pipe" as const,
  }
}
