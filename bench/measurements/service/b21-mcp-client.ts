import { connectLineClient } from "../../../test/helpers/mcp/line-client.ts"
import type { Benchmark } from "../../benchmark.ts"
import { elapsedMs } from "../../figures/elapsed.ts"
import { residentBytes } from "../../figures/session-bytes.ts"
import { shown } from "../../figures/results-table.ts"
import { openServiceProject, type ServiceProject } from "../../rig/service-project.ts"

const calls = 10

const connectOnce = async (project: ServiceProject) => {
  let client: ReturnType<typeof connectLineClient> | undefined
  const listMs = await elapsedMs(async () => {
    client = connectLineClient(project)
    await client.initialize()
    await client.request("tools/list").answer
  })
  if (client === undefined) throw new Error("there is no client")
  for (let call = 0; call < calls; call += 1)
    await client.request("tools/call", { name: "get_all_tasks", arguments: {} }).answer
  const memoryMb = residentBytes(client.child.pid ?? 0) / 1_000_000
  await client.disconnect()
  return { seconds: listMs / 1_000, memoryMb }
}

/** Measures what an MCP client of a coding assistant waits for, and what its process costs. */
export const mcpClient: Benchmark = {
  name: "b21",
  title: "`adjutant mcp` with the service running",
  async measure(context) {
    await using project = await openServiceProject()
    await project.run("service", "start")
    await connectOnce(project)
    const seconds: number[] = []
    const memory: number[] = []
    for (let round = 0; round < context.pairs(5); round += 1) {
      const measured = await connectOnce(project)
      context.log(`${shown(measured.seconds)} s, ${shown(measured.memoryMb)} MB`)
      seconds.push(measured.seconds)
      memory.push(measured.memoryMb)
    }
    return {
      figures: [
        {
          label: "start to the answer of tools/list",
          unit: "s",
          values: seconds,
          goal: { kind: "at-most", value: 0.6 },
        },
        {
          label: `resident memory of the client process after ${calls} calls`,
          unit: "MB",
          values: memory,
          goal: { kind: "at-most", value: 90 },
        },
      ],
    }
  },
}
