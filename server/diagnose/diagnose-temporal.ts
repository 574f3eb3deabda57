import type { Connection } from "@temporalio/client"
import { errorMessage } from "../../domain/text/error-message.ts"
import { loadConnectionProfile } from "../connection/connection-profile.ts"
import { connectExternal } from "../connection/connect-external.ts"
import { findTemporalProgram } from "../program/find-temporal-program.ts"
import type { Finding } from "./finding.ts"
import { openConnection } from "../connection/open-connection.ts"
import { embeddedNamespace } from "../keeper/server-record.ts"
import { programCache } from "../program/program-cache.ts"
import { programOnPath, serverVersionOf } from "../program/program-on-path.ts"
import { progressOfFiller } from "../program/shared-progress.ts"
import { missingNames } from "../connection/search-attributes.ts"
import { serverFiles } from "../process/server-files.ts"
import { liveRecord } from "../keeper/start-keeper.ts"
import { temporalCliVersion } from "../program/temporal-version.ts"
import { liveLeases } from "../keeper/user-lease.ts"

/** Reports which Temporal server or program would be used. */
export const diagnoseTemporal = async (env: NodeJS.ProcessEnv): Promise<Finding> => {
  const name = "temporal"
  const profile = loadConnectionProfile(env)
  if (profile !== undefined) {
    return { name, status: "ok", detail: `external at ${profile.address}, namespace ${profile.namespace}` }
  }
  const program = await findTemporalProgram({ env })
  if (program !== undefined) {
    const version = (await serverVersionOf(program.path, env)) ?? "of unknown version"
    return { name, status: "ok", detail: `embedded, ${program.path} (${program.source}), server ${version}` }
  }
  const cache = programCache(env)
  const filling = cache === undefined ? undefined : progressOfFiller(cache)
  if (filling !== undefined)
    return { name, status: "ok", detail: `no program yet; process ${filling.pid} is getting it: ${filling.line}` }
  const go = programOnPath("go", env)
  const detail = `no program yet: ${temporalCliVersion} will be downloaded${go === undefined ? "" : ", or built with Go (3–7 minutes)"}`
  const hint = "put `temporal` on PATH, or set TEMPORAL_ADDRESS; without network access, install Go"
  return go === undefined
    ? { name, status: "warn", detail, hint }
    : { name, status: "ok", detail, hint: "run `adjutant doctor --prepare` to do that now" }
}

export interface RunningServerQuestion {
  readonly dataDir: string
  readonly env: NodeJS.ProcessEnv
  readonly connectTimeoutMs?: number
}

/** Reports whether a server is running, which processes use it, and whether sessions can be found in it. */
export const diagnoseRunningServer = async (question: RunningServerQuestion): Promise<Finding> => {
  const name = "server"
  const profile = loadConnectionProfile(question.env)
  const timeoutMs = question.connectTimeoutMs ?? 5_000
  if (profile !== undefined) {
    const connection = await connectExternal({ profile, timeoutMs })
    return describeServer(connection, { detail: `running at ${profile.address}`, namespace: profile.namespace })
  }
  const record = liveRecord(question.dataDir)
  if (record === undefined)
    return { name, status: "ok", detail: "not running for this data directory; commands start it when needed" }
  const users = liveLeases(serverFiles(question.dataDir).users).map(({ pid, purpose }) => `${purpose} (pid ${pid})`)
  const detail = `${record.address}, UI ${record.uiUrl ?? "not served"}, pid ${record.pid}, used by ${users.join(", ") || "no process"}`
  const connection = await openConnection({ address: record.address, connectTimeout: timeoutMs }).catch(() => undefined)
  if (connection === undefined) {
    return {
      name,
      status: "fail",
      detail: `${detail}, does not answer`,
      hint: `read ${serverFiles(question.dataDir).log}`,
    }
  }
  return describeServer(connection, { detail, namespace: embeddedNamespace })
}

const describeServer = async (
  connection: Connection,
  { detail, namespace }: { readonly detail: string; readonly namespace: string },
): Promise<Finding> => {
  const name = "server"
  try {
    const missing = await missingNames(connection, namespace)
    return missing.length === 0
      ? { name, status: "ok", detail: `${detail}, search attributes registered` }
      : {
          name,
          status: "warn",
          detail: `${detail}, search attributes missing: ${missing.join(", ")}`,
          hint: attributesHint,
        }
  } catch (error) {
    const reason = errorMessage(error)
    return { name, status: "warn", detail: `${detail}, search attributes unknown: ${reason}`, hint: attributesHint }
  } finally {
    await connection.close()
  }
}

const attributesHint =
  "register them as Keyword: temporal operator search-attribute create --name AgentStatus --type Keyword …"
