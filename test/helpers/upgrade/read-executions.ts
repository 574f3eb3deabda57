import { Client, Connection } from "@temporalio/client"
import { pino } from "pino"
import { installRuntime } from "../../../worker/runtime.ts"
import { replayEach } from "../engine/replay.ts"

type History = Awaited<ReturnType<ReturnType<Client["workflow"]["getHandle"]>["fetchHistory"]>>

/** One execution of a workflow; a session that continued as new has several. */
export interface Execution {
  readonly workflowId: string
  readonly runId: string
  readonly type: string
  readonly history: History
}

/** Reads every execution on the server, open ones included. */
export const readExecutions = async (address: string): Promise<readonly Execution[]> => {
  const connection = await Connection.connect({ address })
  try {
    const { workflow } = new Client({ connection })
    const executions: Execution[] = []
    for await (const { workflowId, runId, type } of workflow.list())
      executions.push({ workflowId, runId, type, history: await workflow.getHandle(workflowId, runId).fetchHistory() })
    return executions
  } finally {
    await connection.close()
  }
}

/** `UnhandledCommand`: a signal arrived during the task, and the server dispatches the task again. */
const harmlessCause = 1

/**
 * Returns why workflow tasks of an execution failed, one text each. A change of the workflow's commands shows
 * here.
 */
export const findFailedTasks = ({ workflowId, type, history }: Execution): readonly string[] =>
  (history.events ?? []).flatMap(({ workflowTaskFailedEventAttributes: failed }) =>
    failed == null || failed.cause === harmlessCause
      ? []
      : [`${type} ${workflowId}: cause ${failed.cause}, ${failed.failure?.message ?? "no message"}`],
  )

/** Replays executions with the checkout's code, whichever version made them. Rejects with the first failure. */
export const replayExecutions = async (executions: readonly Execution[]): Promise<void> => {
  installRuntime(pino({ level: "silent" }))
  await replayEach(executions)
}
