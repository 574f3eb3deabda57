import { readdir, readFile, readlink } from "node:fs/promises"
import { Client, Connection } from "@temporalio/client"
import { eventually } from "../../helpers/eventually.ts"
import { checkHistory } from "../../helpers/history/check-history.ts"
import { fetchHistories, replayEach } from "../../helpers/engine/replay.ts"
import type { PatientApi } from "../load/patient-api.ts"
import type { PlayedItem } from "../load/play-item.ts"
import { finalStatuses } from "../load/play-item.ts"
import { finalTextOf } from "../world/chaos-model.ts"
import type { World } from "../world/world.ts"
import { askEngine, playedHistory } from "./played-history.ts"

interface Row {
  readonly role: string
  readonly text?: string
  readonly name?: string
  readonly outcome?: string
  readonly call_id?: string
}

/** Returns what a list has. What was asked for exists: any other answer is an error of this program. */
const listOf = async <T>(api: PatientApi, route: string): Promise<readonly T[]> => {
  const { status, body } = await api.get(route)
  if (!Array.isArray(body["items"])) throw new Error(`GET ${route}: ${status} ${JSON.stringify(body)}`)
  return body["items"] as readonly T[]
}

const transcriptOf = async (api: PatientApi, sessionId: string): Promise<readonly Row[]> => {
  const rows = await listOf<{ message: Row }>(api, `/v1/sessions/${sessionId}/messages?limit=1000`)
  return rows.map(({ message }) => message)
}

/** Each accepted message is in the transcript once. */
const checkMessages = (item: PlayedItem, rows: readonly Row[]): readonly string[] =>
  item.messages.flatMap((text) => {
    const times = rows.filter(({ role, text: said }) => role === "user" && said === text).length
    // A steering message that arrives when the run ends may be kept for the next run; a run that is cancelled before its first step has no transcript.
    const neverBegan = item.status === "cancelled" && rows.length === 0
    const isFine = times === 1 || (times === 0 && (neverBegan || text !== item.messages[0]))
    return isFine ? [] : [`${item.id}: the message "${text}" is in the transcript ${times} times`]
  })

/** The status and the last text fit what was asked. */
const checkOutcome = (item: PlayedItem, rows: readonly Row[]): readonly string[] => {
  const expected = item.isCancelled ? ["cancelled", "completed"] : ["completed"]
  if (!expected.includes(item.status)) return [`${item.id} (${item.kind}): ended as ${item.status}`]
  const last = rows.at(-1)
  if (item.status === "completed" && !JSON.stringify(last ?? null).includes(finalTextOf(item.id)))
    return [`${item.id}: the last row is not its result: ${JSON.stringify(last)}`]
  return []
}

/** Returns the number of times that each line is in the ledger. */
const countLines = (lines: readonly string[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1)
  return counts
}

/** No unsafe tool ran twice; what was rejected did not run; what is reported as done did. */
const checkTools = (item: PlayedItem, rows: readonly Row[], ledger: ReadonlyMap<string, number>): readonly string[] =>
  rows
    .filter(({ role, name }) => role === "tool" && name === "Bash")
    .flatMap((row) => {
      const turn = /^call_(\d+)_/.exec(row.call_id ?? "")?.[1] ?? "?"
      const times = ledger.get(`${item.id}:${turn}`) ?? 0
      if (item.decision === "reject" && times > 0) return [`${item.id}: a rejected call ran`]
      if (row.outcome === "ok" && times !== 1) return [`${item.id}: turn ${turn} is done and ran ${times} times`]
      return []
    })

/** Returns which sessions of the item's tree have not ended, in the store or in the engine. */
const openBelow = async (item: PlayedItem, api: PatientApi, temporal: Client): Promise<readonly string[]> => {
  const route = `/v1/sessions?root_session_id=${item.sessionId}&limit=100`
  const sessions = await listOf<{ id: string; status: string }>(api, route)
  const problems = await Promise.all(
    sessions.map(async ({ id, status }) => {
      if (!finalStatuses.includes(status)) return `${item.id}: session ${id} is ${status} after its root ended`
      const name = await askEngine(temporal)(id)
      if (name === "RUNNING" || name === "unknown")
        return `${item.id}: session ${id} is ${status}, and ${name} in the engine`
      return undefined
    }),
  )
  return problems.filter((problem) => problem !== undefined)
}

/**
 * Every session of the item's tree ends, in the engine, too. An empty server in its place forgets that a child was asked to end: the
 * reconciler ends it some time after its root.
 */
const checkEngine = async (item: PlayedItem, api: PatientApi, temporal: Client): Promise<readonly string[]> => {
  let open: readonly string[] = []
  await eventually(async () => (open = await openBelow(item, api, temporal)).length === 0).catch(() => undefined)
  return open
}

/** Each result of a root was delivered as one effect; a cancelled run announces nothing. */
const checkDelivery = (item: PlayedItem, { receiver }: World): readonly string[] => {
  const effects = receiver.effects.filter(({ body }) => body.session?.id === item.sessionId)
  const expected = item.status === "cancelled" ? 0 : 1
  return effects.length === expected ? [] : [`${item.id}: its result was delivered ${effects.length} times`]
}

/** Returns the command line of a process that works in this directory; "" for any other. */
const commandIn = async (cwd: string, pid: string): Promise<string> => {
  const isHere = (await readlink(`/proc/${pid}/cwd`).catch(() => "")) === cwd
  return isHere ? await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "") : ""
}

/** No command of this run still runs, such as one of a cancelled item. */
const checkOrphans = async ({ cwd }: World): Promise<readonly string[]> => {
  if (process.platform !== "linux") return []
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name))
  const commands = await Promise.all(pids.map((pid) => commandIn(cwd, pid)))
  return commands
    .filter((command) => /: chaos-\S+; sleep 600/.test(command))
    .map((command) => `a command outlived its run: ${command.replaceAll("\0", " ").slice(-80)}`)
}

/** So few that their replay ends in time on a machine with much to do. */
const replayedAtOnce = 5

/** Any worker could continue each session: its history leads to the same decisions again. */
const checkReplays = async (temporal: Client): Promise<readonly string[]> => {
  const workflowIds: string[] = []
  for await (const { workflowId } of temporal.workflow.list({ query: 'WorkflowType = "llmAgent"' }))
    workflowIds.push(workflowId)
  const problems: string[] = []
  for (let first = 0; first < workflowIds.length; first += replayedAtOnce) {
    const histories = await fetchHistories(temporal, workflowIds.slice(first, first + replayedAtOnce))
    await replayEach(histories).catch((error: unknown) => problems.push(String(error)))
  }
  return problems
}

/** What is recorded some time after the end of a root, such as the end of a sub-agent that nobody asked to end, is waited for. */
const checkWhole = async (
  world: World,
  temporal: Client,
  played: readonly PlayedItem[],
): Promise<readonly string[]> => {
  let violations: readonly string[] = []
  await eventually(async () => (violations = checkHistory(await playedHistory(world, temporal, played))).length === 0, {
    everyMs: 1_000,
  }).catch(() => undefined)
  return violations
}

/** Compares what the product shows with the ground truth; returns a sentence for each violation. */
export const checkInvariants = async (
  world: World,
  api: PatientApi,
  played: readonly PlayedItem[],
): Promise<readonly string[]> => {
  const ledger = countLines(await world.ledger())
  const connection = await Connection.connect({ address: world.engineAddress() })
  const temporal = new Client({ connection })
  try {
    const violations = [
      ...(await checkWhole(world, temporal, played)),
      ...(await checkOrphans(world)),
      ...(await checkReplays(temporal)),
    ]
    for (const item of played) {
      const rows = await transcriptOf(api, item.sessionId)
      violations.push(
        ...checkMessages(item, rows),
        ...checkOutcome(item, rows),
        ...checkTools(item, rows, ledger),
        ...(await checkEngine(item, api, temporal)),
        ...checkDelivery(item, world),
      )
    }
    return violations
  } finally {
    await connection.close()
  }
}
