import { realpathSync } from "node:fs"
import path from "node:path"
import { commandLineActor } from "../actor.ts"
import { orInterrupted } from "./interrupts.ts"
import type { CliContext } from "../program/cli-context.ts"
import { placeFlags } from "../program/place-flags.ts"
import type { SessionHost } from "./session-host.ts"
import type { ShareOptions, TaskHost, TreeShare } from "./task-host.ts"
import { waitForAnnouncements } from "./wait-for-announcements.ts"

/** Returns the path without links, as sessions have it; the path itself if there is no such directory. */
const realDirectory = (directory: string): string => {
  try {
    return realpathSync(directory)
  } catch {
    return directory
  }
}

/** Returns the host of this machine as commands about tasks use it: its workers take the work of one tree. */
export const localTaskHost = (
  context: Pick<CliContext, "cwd" | "interrupts" | "options" | "env" | "confirm">,
  host: SessionHost,
): TaskHost => {
  const { client, redact } = host
  const { cwd, interrupts, options: given } = context
  const share = async (rootId: string, options?: ShareOptions): Promise<TreeShare> => {
    const { hostQueue, failed } = await orInterrupted(interrupts, host.startWorker({ rootId, ...options }))
    return { hostQueue, failed }
  }
  return {
    client,
    startTask: async ({ cwd: directory = cwd, ...task }, options) => {
      const request = { ...task, cwd: directory, actor: commandLineActor() }
      const sessionId = await host.newSessionId()
      if (options === "leave") {
        await host.handOver(sessionId)
        return await client.start({ ...request, sessionId })
      }
      const { hostQueue, failed } = await share(sessionId, options)
      const started = await client.start({ ...request, sessionId, ...(hostQueue === undefined ? {} : { hostQueue }) })
      return { ...started, ...(failed === undefined ? {} : { failed }) }
    },
    prepareResume: async (tree) => {
      // Loaded here: other commands start without it.
      const { prepareResume } = await import("../move/resume-moved.ts")
      return await prepareResume(context, host, tree)
    },
    joinTree: async (rootId, options) => {
      const joined = await share(rootId, options)
      if (joined.hostQueue !== undefined) await host.announceHost(rootId, joined.hostQueue)
      return joined
    },
    serveAll: async () => {
      if (!(await client.hasWorker())) await orInterrupted(interrupts, host.startWorker({ stopsImmediately: true }))
    },
    handOver: (rootId) => host.handOver(rootId),
    leaveTree: (rootId) => host.announceHost(rootId, null),
    announced: (sessionId, document) => waitForAnnouncements(host, sessionId, document),
    resolveDirectory: (flag) => realDirectory(path.resolve(cwd, flag)),
    placeFlags: (cwdFlag) =>
      placeFlags(
        { cwd, options: given },
        cwdFlag === undefined ? undefined : realDirectory(path.resolve(cwd, cwdFlag)),
      ),
    manifestDirectory: (taskCwd) => taskCwd,
    redact,
    warn: (message) => host.warn(message),
    close: () => host.close(),
  }
}
