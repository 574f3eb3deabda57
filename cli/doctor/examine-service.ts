import { findService } from "../../service/ask-service.ts"
import { serviceFiles } from "../../service/service-files.ts"
import { diesAtStart } from "../../service/start-service.ts"
import type { Finding } from "../../server/diagnose/finding.ts"
import { packageVersion } from "../../worker/package-version.ts"

const name = "service"

/** Returns the state of the service of a data directory. Starts none. */
export const examineService = async (dataDir: string): Promise<readonly Finding[]> => {
  const found = await findService(dataDir)
  if (found === undefined) {
    if (!diesAtStart(dataDir))
      return [{ name, status: "ok", detail: "not running; the first command that leaves work to it starts it" }]
    const { log } = serviceFiles(dataDir)
    return [{ name, status: "fail", detail: "it ended several times within a minute", hint: `read ${log}` }]
  }
  const { pid, version, kind, url } = found.status
  const detail = `running (pid ${pid}, version ${version}, ${kind}) ${url === null ? "on its socket only" : `at ${url}`}`
  if (version === packageVersion()) return [{ name, status: "ok", detail }]
  return [{ name, status: "warn", detail, hint: `this is version ${packageVersion()}: run adjutant service stop` }]
}
