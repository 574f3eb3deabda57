import { readdir, stat } from "node:fs/promises"
import path from "node:path"
import type { LoadedConfig } from "../../config/loaded-config.ts"
import { dayMs } from "../../domain/text/duration.ts"
import { bytesText } from "../../domain/media/inspect-media.ts"
import { counted } from "../../domain/text/figures.ts"
import type { Environment } from "../../domain/environment.ts"
import type { Finding } from "../../server/diagnose/finding.ts"
import { openStoreAsIs } from "../../store/open-store.ts"

/** Returns how many bytes a file, or a folder with everything in it, takes. What vanishes meanwhile takes none. */
const sizeOf = async (file: string): Promise<number> => {
  const found = await stat(file).catch(() => undefined)
  if (found === undefined) return 0
  if (!found.isDirectory()) return found.size
  const entries = await readdir(file, { recursive: true, withFileTypes: true }).catch(() => [])
  const sizes = await Promise.all(
    entries.map(async (entry) => {
      const each = entry.isFile()
        ? await stat(path.join(entry.parentPath, entry.name)).catch(() => undefined)
        : undefined
      return each?.size ?? 0
    }),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Files that belong together, such as a database and its log, are one entry. */
const examineFiles = async (dataDir: string): Promise<readonly Finding[]> => {
  const sizes = new Map<string, number>()
  for (const name of await readdir(dataDir).catch(() => [])) {
    const kind = name.replace(/-(wal|shm|journal)$/, "")
    sizes.set(kind, (sizes.get(kind) ?? 0) + (await sizeOf(path.join(dataDir, name))))
  }
  const largest = [...sizes].filter(([, size]) => size > 0).toSorted(([, left], [, right]) => right - left)
  const total = largest.reduce((sum, [, size]) => sum + size, 0)
  const detail = [
    `${bytesText(total)} in ${dataDir}`,
    ...largest.slice(0, 8).map(([name, size]) => `${name} ${bytesText(size)}`),
  ].join("; ")
  return [{ name: "disk use", status: "ok", detail }]
}

const oldDays = 30
const manyOldTasks = 1_000

/** Returns what the store and the data directory take, and how much of it is old. */
export const examineDisk = async (
  { config, dataDir }: Pick<LoadedConfig, "config" | "dataDir">,
  env: Environment,
): Promise<readonly Finding[]> => {
  const files = await examineFiles(dataDir)
  const store = await openStoreAsIs({ url: config.store.url, dataDir, env: { ...env } })
  if (store === undefined) return files
  try {
    const { pending, running, paused, ...final } = await store.sessions.count({ includeArchived: true })
    const ended = Object.values(final).reduce((sum, count) => sum + count, 0)
    const all = pending + running + paused + ended
    const { keepLabels, days, eventsDays } = config.retention
    const expiry = { beforeMs: Date.now() - oldDays * dayMs, keepLabels }
    const old = await store.sessions.listExpired(expiry, { after: 0, limit: manyOldTasks })
    const kept = days === undefined ? "nothing is erased by age" : `tasks are erased after ${counted(days, "day")}`
    const events = eventsDays === undefined ? "" : `, events after ${counted(eventsDays, "day")}`
    const oldText = old.length < manyOldTasks ? counted(old.length, "task") : `${manyOldTasks} tasks or more`
    const isFull = old.length >= manyOldTasks && days === undefined
    const detail = `${counted(all, "session")}, ${ended} of them ended; ${oldText} ended more than ${oldDays} days ago; ${kept}${events}`
    const hint = `erase them with "adjutant prune --older-than ${oldDays}d", or set retention.days`
    return [...files, { name: "store", status: isFull ? "warn" : "ok", detail, ...(isFull ? { hint } : {}) }]
  } finally {
    await store.close()
  }
}
