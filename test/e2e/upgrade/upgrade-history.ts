import { readdir } from "node:fs/promises"
import path from "node:path"
import { Client, Connection } from "@temporalio/client"
import { openStore } from "../../../store/open-store.ts"
import { askEngine } from "../../chaos/checks/played-history.ts"
import type { Effect, History, Told } from "../../helpers/history/history.ts"
import { readSessions } from "../../helpers/history/read-history.ts"
import type { SessionsApi } from "../../helpers/upgrade/sessions-api.ts"
import { upgradeDataDir } from "../../helpers/upgrade/start-version.ts"
import type { UpgradeProject } from "./upgrade-project.ts"

/** What the versions acknowledged so far. */
export interface Acknowledged {
  readonly messages: Told["messages"][number][]
  readonly decisions: Told["decisions"][number][]
  readonly cancels: Told["cancels"][number][]
}

/** Returns the client of a version, which notes what the version acknowledges. */
export const noting = (api: SessionsApi, told: Acknowledged): SessionsApi => ({
  ...api,
  async request(method, route, body) {
    const answer = await api.request(method, route, body)
    const [, sessionId] = /^\/v1\/sessions\/(\w+)\/cancel$/.exec(route) ?? []
    if (sessionId !== undefined) told.cancels.push({ sessionId })
    return answer
  },
  async start(message, options) {
    const sessionId = await api.start(message, options)
    told.messages.push({ sessionId, text: message })
    return sessionId
  },
  async send(sessionId, text, more) {
    await api.send(sessionId, text, more)
    told.messages.push({ sessionId, text })
  },
  async decide(sessionId, decisions) {
    const decided = await api.decide(sessionId, decisions)
    for (const [callId, action] of Object.entries(decided)) told.decisions.push({ sessionId, callId, action })
    return decided
  },
  async writeInThread(threadKey, text, secret) {
    const sessionId = await api.writeInThread(threadKey, text, secret)
    told.messages.push({ sessionId, text })
    return sessionId
  },
})

/** Each command of these conversations has a counter of its own. */
const readEffects = async ({ cwd, count }: UpgradeProject): Promise<readonly Effect[]> => {
  const names = (await readdir(cwd)).filter((name) => name.endsWith(".count")).map((name) => path.parse(name).name)
  const times = await Promise.all(names.map(count))
  return names.flatMap((key, index) => Array.from({ length: times[index] ?? 0 }, () => ({ key })))
}

/** Returns what happened to all sessions of the project under both versions. */
export const readUpgradeHistory = async (
  project: UpgradeProject,
  temporalAddress: string,
  told: Told,
): Promise<History> => {
  const connection = await Connection.connect({ address: temporalAddress })
  const store = await openStore({ url: "sqlite:", dataDir: upgradeDataDir(project.cwd) })
  try {
    const { items } = await store.sessions.list({ includeArchived: true, limit: 1_000 })
    const roots = items.filter(({ parentId }) => parentId === null).map(({ id }) => id)
    const sessions = await readSessions(store, askEngine(new Client({ connection })), roots)
    return { told, effects: await readEffects(project), sessions }
  } finally {
    await store.close()
    await connection.close()
  }
}
