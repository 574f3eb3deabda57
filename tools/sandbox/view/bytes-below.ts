import { lstat, opendir } from "node:fs/promises"
import { join } from "node:path"

/** Visits the entries below a directory, without following links. One that vanishes meanwhile is left out. */
export async function* entriesBelow(directory: string) {
  const waiting = [directory]
  for (let current = waiting.pop(); current !== undefined; current = waiting.pop()) {
    const opened = await opendir(current).catch(() => undefined)
    if (opened === undefined) continue
    for await (const entry of opened) {
      const path = join(current, entry.name)
      if (entry.isDirectory()) waiting.push(path)
      yield { path, entry }
    }
  }
}

/** Returns how much of the disk the files below a directory use. */
export const bytesBelow = async (directory: string): Promise<number> => {
  let bytes = 0
  for await (const { path } of entriesBelow(directory)) {
    const found = await lstat(path).catch(() => undefined)
    bytes += (found?.blocks ?? 0) * 512
  }
  return bytes
}
