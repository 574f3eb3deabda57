import { realpathSync } from "node:fs"
import path from "node:path"
import { createRemoteClient, type RemoteClient } from "../../client/remote/create-remote-client.ts"
import type { TaskClient } from "../../client/task-client.ts"
import { createSecretRedact } from "../../config/secrets/secrets.ts"
import type { LoadedConfig } from "../../config/loaded-config.ts"
import { thisMachine } from "../../engine/workers/machine.ts"
import type { TakeOver } from "../../sessions/start/take-over.ts"
import type { ResumedTree } from "../move/resume-moved.ts"
import { endsWithLastCommand } from "../../service/idle.ts"
import type { HostOptions, TaskHost } from "./hosts.ts"
import type { CliContext } from "../program/cli-context.ts"
import { loadHostConfig } from "../program/load-host-config.ts"
import { placeFlags } from "../program/place-flags.ts"
import { showWarnings } from "../program/entry-lines.ts"
import { type ServiceLink, linkService } from "../service/service-link.ts"

/** Returns the path without links, as sessions have it; the path itself if there is no such directory. */
const realDirectory = (directory: string): string => {
  try {
    return realpathSync(directory)
  } catch {
    return directory
  }
}

interface Preparation {
  readonly loaded: Pick<LoadedConfig, "dataDir">
  readonly warn: TaskHost["warn"]
  readonly tree: ResumedTree
}

/**
 * Makes a tree ready to be resumed here. With the embedded Temporal, the store says everything. With another one, a second machine can have the tree: only
 * Temporal knows whether its worker runs.
 */
const prepareHere = async (context: CliContext, { loaded, warn, tree }: Preparation): Promise<boolean> => {
  const { env } = context
  // Loaded here: other commands start without them.
  const { prepareResume } = await import("../move/resume-moved.ts")
  const { findRunningServer } = await import("../../server/find-running-server.ts")
  if (findRunningServer({ dataDir: loaded.dataDir, env })?.kind !== "external") {
    const { takeOverTree } = await import("../../sessions/start/take-over.ts")
    const { withStoreOf } = await import("./open-store-host.ts")
    const machine = thisMachine(env, { isEmbedded: true })
    return await withStoreOf(context, ({ store }) => {
      const client = { takeOver: (request: TakeOver) => takeOverTree({ store, machine }, request) }
      return prepareResume(context, { store, machine, warn, client }, tree)
    })
  }
  const { openSessionHost } = await import("./open-session-host.ts")
  const host = await openSessionHost(context, {})
  try {
    return await prepareResume(context, host, tree)
  } finally {
    await host.close()
  }
}

/** Registers the tree before a message is sent: the message can start a run, which needs the variables of this command. A run that is steered has them. */
const withVariablesOfCommand = (client: RemoteClient, link: ServiceLink, hasBrought: () => boolean): TaskClient => ({
  ...client,
  send: async (request) => {
    if (!hasBrought() && request.type !== "steering")
      await link.bring((await client.info(request.sessionId)).root_session_id, "leave")
    return await client.send(request)
  },
})

/** Opens the service of this machine, and starts it if none answers. Before that, it refuses a task that the store does not have. */
export const openServiceHost = async (context: CliContext, hostOptions: HostOptions): Promise<TaskHost> => {
  const { cwd, env, io, options } = context
  if (hostOptions.target !== undefined || hostOptions.requires !== undefined)
    await (await import("./open-store-host.ts")).requireTargetInStore(context, hostOptions)
  const loaded = await loadHostConfig(context, hostOptions)
  await hostOptions.check?.(loaded)
  const redact = createSecretRedact(loaded, env)
  const warn = showWarnings({ sink: io.stderr, redact, paint: io.paint.stderr })
  const link = await linkService(context, loaded, hostOptions.target)
  if (link.problems.length > 0) warn(`${link.problems.join("; ")}: run "adjutant doctor"`)
  const remote = createRemoteClient(link.connection)
  let isBrought = false
  let isLeft = false
  const handOver: TaskHost["handOver"] = async (rootId, share) => {
    isLeft = share === "leave"
    isBrought = true
    await link.bring(rootId, share)
  }
  return {
    client: withVariablesOfCommand(remote, link, () => isBrought),
    dataDir: loaded.dataDir,
    startTask: async ({ prompt: text, agent, title, label, cwd: directory = cwd, ...limits }, share) => {
      isLeft = share === "leave"
      isBrought = true
      await link.bring(null, share)
      return await remote.startTask({ agent, title, label, model: limits.model, cwd: directory, text, limits })
    },
    prepareResume: (tree) => prepareHere(context, { loaded, warn, tree }),
    handOver,
    warnWithoutWorker: async () => undefined,
    resolveDirectory: (flag) => realDirectory(path.resolve(cwd, flag)),
    placeFlags: (cwdFlag) =>
      placeFlags({ cwd, options }, cwdFlag === undefined ? undefined : realDirectory(path.resolve(cwd, cwdFlag))),
    manifestDirectory: (taskCwd) => taskCwd,
    redact,
    warn,
    close: async () => {
      await remote.close()
      if (!isLeft && endsWithLastCommand(loaded.config, env)) await link.endIfLast()
    },
  }
}
