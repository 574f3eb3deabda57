import { lstat, opendir } from "node:fs/promises"
import { join } from "node:path"
import { diskPath, hasRawBytes } from "../../disk/disk-path.ts"
import { type DiskEntry, listDirectory, replacement } from "../../disk/list-directory.ts"

/** Visits the entries of a directory one by one: there can be too many to be listed. */
async function* entriesOf(directory: string): AsyncGenerator<DiskEntry> {
  const opened = await opendir(diskPath(directory)).catch(() => undefined)
  if (opened === undefined) return
  let hasOthers = false
  for await (const entry of opened)
    if (entry.name.includes(replacement)) hasOthers = true
    else yield entry
  const all = hasOthers ? await listDirectory(directory).catch(() => []) : []
  yield* all.filter(({ name }) => hasRawBytes(name) || name.includes(replacement))
}

/** Visits the entries below a directory, without following links. One that vanishes meanwhile is left out. */
export async function* entriesBelow(directory: string) {
  const waiting = [directory]
  for (let current = waiting.pop(); current !== undefined; current = waiting.pop()) {
    for await (const entry of entriesOf(current)) {
      const path = join(current, entry.name)
      if (entry.isDirectory()) waiting.push(path)
      yield { path, entry }
    }
  }
}

/** Returns the bytes that the entries below a directory take on the disk. */
export const bytesBelow = async (directory: string): Promise<number> => {
  let bytes = 0
  for await (const { path } of entriesBelow(directory)) {
    const found = await lstat(diskPath(path)).catch(() => undefined)
    bytes += (found?.blocks ?? 0) * 512
  }
  return bytes
}
