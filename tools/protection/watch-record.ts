import { appendFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { z } from "zod"
import { isInside } from "../../domain/workspace/is-inside.ts"

const entrySchema = z.object({
  path: z.string(),
  role: z.enum(["git-config", "git-hooks", "git-pointer", "other"]),
  type: z.enum(["file", "directory", "link", "other"]),
  ino: z.number(),
  links: z.number(),
  target: z.string().optional(),
  /** Base64, if the file has other names, through which a command could change it. */
  content: z.string().optional(),
  mode: z.number().optional(),
})
/** A protected path as it was before a command. */
export type WatchedEntry = z.infer<typeof entrySchema>

const recordSchema = z.object({
  worker: z.object({ pid: z.number(), start: z.string(), machine: z.string() }),
  /** Milliseconds since 1970. */
  startedAt: z.number(),
  sessionId: z.string(),
  cwd: z.string(),
  namedFiles: z.array(z.string()),
  hidden: z.array(z.string()),
  entries: z.array(entrySchema),
})
/** The process that runs a command. */
export type WatchingWorker = WatchRecord["worker"]

/** What is checked after a command; stored, so that another worker can check it if this one dies. */
export type WatchRecord = z.infer<typeof recordSchema>

const approvedSchema = z.object({ path: z.string(), ino: z.number() })
/** A protected file that a file tool wrote with a person's approval while a command ran. */
export type ApprovedFile = z.infer<typeof approvedSchema>

const folderName = "watches"
const suffix = ".json"

const folderOf = (dataDir: string): string => join(dataDir, folderName)
const fileOf = (dataDir: string, id: string): string => join(folderOf(dataDir), `${id}${suffix}`)
const approvedOf = (dataDir: string, id: string): string => join(folderOf(dataDir), `${id}.approved`)

export const storeRecord = async (dataDir: string, id: string, record: WatchRecord): Promise<void> => {
  await mkdir(folderOf(dataDir), { recursive: true, mode: 0o700 })
  await writeFile(fileOf(dataDir, id), JSON.stringify(record), { mode: 0o600, flag: "wx" })
}

export const removeRecord = async (dataDir: string, id: string): Promise<void> => {
  await rm(fileOf(dataDir, id), { force: true })
  await rm(approvedOf(dataDir, id), { force: true })
}

const readRecord = async (path: string): Promise<WatchRecord | undefined> => {
  try {
    return recordSchema.parse(JSON.parse(await readFile(path, "utf8")))
  } catch {
    // Removed meanwhile, or not yet written as a whole.
    return undefined
  }
}

/** Returns the records of commands that have not been checked, by id. */
export const readRecords = async (dataDir: string): Promise<ReadonlyMap<string, WatchRecord>> => {
  const names = await readdir(folderOf(dataDir)).catch(() => [])
  const ids = names.filter((name) => name.endsWith(suffix)).map((name) => name.slice(0, -suffix.length))
  const records = await Promise.all(ids.map(async (id) => [id, await readRecord(fileOf(dataDir, id))] as const))
  return new Map(records.flatMap(([id, record]) => (record === undefined ? [] : [[id, record] as const])))
}

/** Notes an approved change for every command that runs in the file's directory, so that it is not taken for one of the command. */
export const storeApproval = async (dataDir: string, file: ApprovedFile): Promise<void> => {
  for (const [id, { cwd }] of await readRecords(dataDir))
    if (isInside(cwd, file.path))
      await appendFile(approvedOf(dataDir, id), `${JSON.stringify(file)}\n`, { mode: 0o600 })
}

export const readApprovals = async (dataDir: string, id: string): Promise<readonly ApprovedFile[]> => {
  const text = await readFile(approvedOf(dataDir, id), "utf8").catch(() => "")
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => approvedSchema.parse(JSON.parse(line)))
}
