import type { ToolHandler } from "./define-tool.ts"
import { agentsList, getAllTasks, getTaskDetails, sessionsHistory, sessionsList } from "./look.ts"
import { cancelTask, sessionsSend, subagents } from "./manage.ts"
import { resumeSubagentTask, resumeTask } from "./resume.ts"
import { dynamicSubagentTask, runCommandTask, sessionsSpawn, task } from "./start.ts"
import { sessionsYield, waitForTasks } from "./wait.ts"

/** What carries out each delegation tool, for an agent in a run and for a client from outside. `sessions_merge` is for agents only. */
export const toolHandlers: Readonly<Record<string, ToolHandler>> = {
  Task: task,
  dynamic_subagent_task: dynamicSubagentTask,
  resume_subagent_task: resumeSubagentTask,
  resume_task: resumeTask,
  get_task_details: getTaskDetails,
  get_all_tasks: getAllTasks,
  wait_for_tasks: waitForTasks,
  cancel_task: cancelTask,
  run_command_task: runCommandTask,
  sessions_spawn: sessionsSpawn,
  agents_list: agentsList,
  sessions_list: sessionsList,
  sessions_history: sessionsHistory,
  sessions_send: sessionsSend,
  sessions_yield: sessionsYield,
  subagents,
}
