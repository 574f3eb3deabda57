import type { ToolHandler } from "../mcp-context.ts"
import { dynamicSubagentTaskTool } from "./dynamic-subagent-task.ts"
import { profilesCreateTool, profilesDeleteTool, profilesListTool, profilesUpdateTool } from "./profiles.ts"
import { resumeSubagentTaskTool, resumeTaskTool } from "./resume.ts"
import { runCommandTaskTool } from "./run-command-task.ts"
import { sessionsSpawnTool } from "./sessions-spawn.ts"
import { agentsListTool, sessionsHistoryTool, sessionsListTool, sessionsSendTool } from "./sessions.ts"
import { subagentsTool } from "./subagents.ts"
import { taskTool } from "./task.ts"
import { cancelTaskTool, getAllTasksTool, getTaskDetailsTool } from "./tasks.ts"
import { sessionsYieldTool, waitForTasksTool } from "./wait-for-tasks.ts"

/** The handler of each tool for calls from outside a run. */
export const toolHandlers: Readonly<Record<string, ToolHandler>> = {
  Task: taskTool,
  dynamic_subagent_task: dynamicSubagentTaskTool,
  run_command_task: runCommandTaskTool,
  resume_subagent_task: resumeSubagentTaskTool,
  resume_task: resumeTaskTool,
  get_task_details: getTaskDetailsTool,
  get_all_tasks: getAllTasksTool,
  wait_for_tasks: waitForTasksTool,
  cancel_task: cancelTaskTool,
  sessions_spawn: sessionsSpawnTool,
  agents_list: agentsListTool,
  sessions_list: sessionsListTool,
  sessions_history: sessionsHistoryTool,
  sessions_send: sessionsSendTool,
  sessions_yield: sessionsYieldTool,
  subagents: subagentsTool,
  profiles_list: profilesListTool,
  profiles_create: profilesCreateTool,
  profiles_update: profilesUpdateTool,
  profiles_delete: profilesDeleteTool,
}
