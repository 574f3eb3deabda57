import { randomBytes } from "node:crypto"
import { rm, stat, statfs, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Finding } from "./finding.ts"

export const diagnoseDataDir = async (dataDir: string): Promise<Finding> => {
  const name = "data directory"
  const probe = join(dataDir, `.probe-${randomBytes(6).toString("hex")}`)
  try {
    await writeFile(probe, "", { mode: 0o600, flag: "wx" })
    await rm(probe, { force: true })
  } catch {
    return { name, status: "fail", detail: `${dataDir} is not writable`, hint: "choose another with --data-dir" }
  }
  const { mode } = await stat(dataDir)
  const isPrivate = (mode & 0o077) === 0
  return isPrivate
    ? { name, status: "ok", detail: dataDir }
    : { name, status: "warn", detail: `${dataDir} is accessible to other users`, hint: `chmod 700 ${dataDir}` }
}

const gib = 1024 ** 3
const scarceBytes = gib
const exhaustedBytes = 100 * 1024 ** 2

export const diagnoseDiskSpace = async (dataDir: string): Promise<Finding> => {
  const name = "disk space"
  const { bavail, bsize } = await statfs(dataDir)
  const freeBytes = bavail * bsize
  const detail = `${(freeBytes / gib).toFixed(1)} GiB free`
  if (freeBytes >= scarceBytes) return { name, status: "ok", detail }
  return {
    name,
    status: freeBytes < exhaustedBytes ? "fail" : "warn",
    detail,
    hint: "free some space, since transcripts and histories grow",
  }
}
