import { appendFile, mkdir, open, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { z } from "zod"
import { isInside } from "../../domain/workspace/is-inside.ts"
import { type DirectoryPlace, findDirectory } from "../disk/held-directory.ts"
import { contentSchema } from "./content.ts"

const entrySchema = z.object({
  /** Absolute. */
  path: z.string(),
  role: z.enum(["git-config", "git-hooks", "git-pointer", "git-todo", "other"]),
  /** Whether only the configuration of Adjutant protects it. */
  isNamed: z.boolean(),
  content: contentSchema,
})
/** A protected path as it was before a command. */
export type WatchedEntry = z.infer<typeof entrySchema>

const recordSchema = z.object({
  worker: z.object({ pid: z.number(), start: z.string(), machine: z.string() }),
  /** Milliseconds since 1970. */
  startedAt: z.number(),
  sessionId: z.string(),
  cwd: z.string(),
  /** The directory itself, which can be moved while the command runs; undefined in the record of an earlier version. */
  held: z.object({ pid: z.number(), fd: z.number(), identity: z.string() }).optional(),
  namedFiles: z.array(z.string()),
  hidden: z.array(z.string()),
  entries: z.array(entrySchema),
  /** The identities of the files with a setuid or setgid bit; undefined if the sandbox refuses these bits. */
  setIds: z.array(z.string()).optional(),
  /** Where the bytes of contents are, by hash: offset and length. */
  stored: z.record(z.string(), z.tuple([z.number(), z.number()])),
})
/** The process that runs a command. */
export type WatchingWorker = WatchRecord["worker"]

/** The state before a command, with which the state after it is compared. It is stored, so that another worker can compare if this one dies. */
export type WatchRecord = z.infer<typeof recordSchema> & {
  /** The working directory when the command began, if it was moved since. All paths are at its present place. */
  readonly movedFrom?: string
}

const approvedSchema = z.object({
  path: z.string(),
  content: contentSchema,
  /** The bytes of a file, unless they are too many to be restored. */
  base64: z.string().optional(),
})
/** The content of a protected path that a person approved while a command ran. It is no change of that command. */
export type ApprovedFile = z.infer<typeof approvedSchema>

const folderName = "watches"
const suffix = ".json"

const recordsFolder = (dataDir: string): string => join(dataDir, folderName)
const recordFile = (dataDir: string, id: string): string => join(recordsFolder(dataDir), `${id}${suffix}`)
const approvedOf = (dataDir: string, id: string): string => join(recordsFolder(dataDir), `${id}.approved`)
const bytesOf = (dataDir: string, id: string): string => join(recordsFolder(dataDir), `${id}.bytes`)

/** Stores a record with the bytes of its contents, and returns it. */
export const storeRecord = async (
  dataDir: string,
  id: string,
  record: Omit<WatchRecord, "stored">,
  bytes: ReadonlyMap<string, Uint8Array>,
): Promise<WatchRecord> => {
  await mkdir(recordsFolder(dataDir), { recursive: true, mode: 0o700 })
  const stored: WatchRecord["stored"] = {}
  let offset = 0
  for (const [hash, { length }] of bytes) {
    stored[hash] = [offset, length]
    offset += length
  }
  await writeFile(bytesOf(dataDir, id), Buffer.concat([...bytes.values()]), { mode: 0o600, flag: "wx" })
  await writeFile(recordFile(dataDir, id), JSON.stringify({ ...record, stored }), { mode: 0o600, flag: "wx" })
  return { ...record, stored }
}

export const removeRecord = async (dataDir: string, id: string): Promise<void> => {
  for (const path of [recordFile(dataDir, id), approvedOf(dataDir, id), bytesOf(dataDir, id)])
    await rm(path, { force: true })
}

const readRecord = async (path: string): Promise<WatchRecord | undefined> => {
  try {
    return await relocated(recordSchema.parse(JSON.parse(await readFile(path, "utf8"))))
  } catch {
    // Removed meanwhile, or not yet written as a whole.
    return undefined
  }
}

const rebase =
  (from: string, to: string) =>
  (path: string): string =>
    isInside(from, path) ? `${to}${path.slice(from.length)}` : path

/** Returns where the working directory of a command is now. */
export const watchedPlace = async ({ cwd, held }: WatchRecord): Promise<DirectoryPlace> =>
  held === undefined ? { path: cwd } : findDirectory(cwd, held)

/** Returns a record with the paths that its working directory, and what it contains, have at another place. */
export const relocate = (record: WatchRecord, to: string): WatchRecord => {
  if (to === record.cwd) return record
  const { cwd: movedFrom, namedFiles, hidden, entries } = record
  const at = rebase(movedFrom, to)
  return {
    ...{ ...record, movedFrom, cwd: to, namedFiles: namedFiles.map(at), hidden: hidden.map(at) },
    entries: entries.map((entry) => ({ ...entry, path: at(entry.path) })),
  }
}

const relocated = async (record: WatchRecord): Promise<WatchRecord> => {
  const place = await watchedPlace(record)
  return typeof place === "string" ? record : relocate(record, place.path)
}

/** Returns the records of commands that have not been checked, by id, with the paths of now. */
export const readRecords = async (dataDir: string): Promise<ReadonlyMap<string, WatchRecord>> => {
  const names = await readdir(recordsFolder(dataDir)).catch(() => [])
  const ids = names.filter((name) => name.endsWith(suffix)).map((name) => name.slice(0, -suffix.length))
  const records = await Promise.all(ids.map(async (id) => [id, await readRecord(recordFile(dataDir, id))] as const))
  return new Map(records.flatMap(([id, record]) => (record === undefined ? [] : [[id, record] as const])))
}

/** Notes an approved change in the record of a running command, so that the change is not attributed to the command. */
export const storeApproval = (dataDir: string, id: string, file: ApprovedFile): Promise<void> =>
  appendFile(approvedOf(dataDir, id), `${JSON.stringify(file)}\n`, { mode: 0o600 })

const readApprovals = async (dataDir: string, id: string): Promise<readonly ApprovedFile[]> => {
  const text = await readFile(approvedOf(dataDir, id), "utf8").catch(() => "")
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => approvedSchema.parse(JSON.parse(line)))
}

const readStored = async (path: string, [offset, length]: readonly [number, number]): Promise<Uint8Array> => {
  await using file = await open(path)
  const bytes = Buffer.alloc(length)
  await file.read(bytes, 0, length, offset)
  return bytes
}

/** What counts as the state before a command: what was there, and what a person approved since. */
export interface StateBefore {
  readonly entries: ReadonlyMap<string, WatchedEntry>
  /** Returns the bytes of a content; undefined if they were too many to be stored. */
  bytes(hash: string): Promise<Uint8Array | undefined>
}

/** Returns the state before the command of a record. */
export const readState = async (dataDir: string, id: string, record: WatchRecord): Promise<StateBefore> => {
  const entries = new Map(record.entries.map((entry) => [entry.path, entry]))
  const approved = new Map<string, Uint8Array>()
  const at = rebase(record.movedFrom ?? record.cwd, record.cwd)
  for (const { path: approvedPath, content, base64 } of await readApprovals(dataDir, id)) {
    const path = at(approvedPath)
    if (content.type === "file" && base64 !== undefined) approved.set(content.hash, Buffer.from(base64, "base64"))
    entries.set(path, { ...(entries.get(path) ?? { path, role: "other", isNamed: false }), content })
  }
  return {
    entries,
    async bytes(hash) {
      const place = Object.hasOwn(record.stored, hash) ? record.stored[hash] : undefined
      return approved.get(hash) ?? (place === undefined ? undefined : await readStored(bytesOf(dataDir, id), place))
    },
  }
}
