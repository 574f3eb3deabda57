// The minimal program that runs one workflow with one activity: node bench/bare/bare-script.ts <address> <bundle file>.
import { randomUUID } from "node:crypto"
import { Client, Connection } from "@temporalio/client"
import { NativeConnection, Worker } from "@temporalio/worker"
import { createBareActivities } from "./bare-activities.ts"

const [address = "", codePath = ""] = process.argv.slice(2)
const taskQueue = `bare-script-${randomUUID()}`
const [connection, native] = await Promise.all([Connection.connect({ address }), NativeConnection.connect({ address })])
const worker = await Worker.create({
  connection: native,
  taskQueue,
  workflowBundle: { codePath },
  activities: createBareActivities(),
})
const client = new Client({ connection })
await worker.runUntil(client.workflow.execute("oneActivity", { taskQueue, workflowId: `bare/${randomUUID()}` }))
await native.close()
await connection.close()
