import { createRemoteClient } from "../../client/remote/create-remote-client.ts"
import { defaultRemoteTiming, type ServerConnection } from "../../client/remote/server-connection.ts"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { createRedact } from "../../domain/text/redact.ts"
import type { TaskHost } from "../host/hosts.ts"
import type { CliContext } from "../program/cli-context.ts"
import { showWarnings } from "../program/entry-lines.ts"
import { wrongUsage } from "../program/wrong-usage.ts"
import { placeFlags } from "../program/place-flags.ts"
import { traceHeader } from "../program/trace-header.ts"
import { type ServerAddress, serverAddress } from "./server-address.ts"

/** Opens a server for the commands about tasks. Its workers do all the work; this process starts none. */
export const openRemoteHost = ({ cwd, env, io, options }: CliContext, server: string): TaskHost => {
  const address = serverAddress({ ...options, server }, env)
  const redact = createRedact([address.token])
  const warn = showWarnings({ sink: io.stderr, redact })
  if (address.isExposed) warn("the token is sent without encryption: use https")
  return remoteTaskHost(address, {
    cwd,
    headers: () => traceHeader(env),
    redact,
    warn,
  })
}

const remoteTaskHost = (
  { url, token }: ServerAddress,
  {
    cwd,
    headers,
    redact,
    warn,
  }: Pick<TaskHost, "redact" | "warn"> & Pick<ServerConnection, "headers"> & { readonly cwd: string },
): TaskHost => {
  const client = createRemoteClient({ url, token, timing: defaultRemoteTiming, headers })
  const warnWithoutWorker = async (): Promise<void> => {
    if (!(await client.hasWorker())) warn("no worker of the server is running; tasks wait until one starts")
  }
  const requireWorker = async (): Promise<void> => {
    if (await client.hasWorker()) return
    throw new AdjutantError("no_worker", "no worker of the server is running that could do the work: start one there")
  }
  const handOver: TaskHost["handOver"] = (_rootId, share) => (share === "leave" ? requireWorker() : warnWithoutWorker())
  return {
    client,
    startTask: async ({ prompt: text, agent, title, label, cwd: directory, ...limits }, share) => {
      await handOver("", share)
      return await client.startTask({ agent, title, label, model: limits.model, cwd: directory, text, limits })
    },
    prepareResume: async ({ rootId, directory }) => {
      const { cwd: known } = await client.info(rootId)
      if (directory !== undefined && directory !== known)
        throw wrongUsage(`--cwd ${directory} does not match: task ${rootId} runs in ${known}`)
      return false
    },
    handOver,
    warnWithoutWorker,
    resolveDirectory: (flag) => flag,
    placeFlags: (cwdFlag) => placeFlags({ cwd, options: { server: url } }, cwdFlag),
    manifestDirectory: () => cwd,
    redact,
    warn,
    close: () => client.close(),
  }
}
