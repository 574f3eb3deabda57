import { statfs } from "node:fs/promises"
import { dirname } from "node:path"
import { AdjutantError } from "../../contracts/adjutant-error.ts"

/** By the number of the file system in Linux (`statfs`). Folders that a host shares with a virtual machine or a container do not count. */
const networkFileSystems: ReadonlyMap<number, string> = new Map([
  [0x69_69, "NFS"],
  [0x51_7b, "SMB"],
  [0xff_53_4d_42, "CIFS"],
  [0xfe_53_4d_42, "SMB"],
  [0x53_46_41_4f, "AFS"],
  [0x6b_41_46_53, "AFS"],
  [0x00_c3_64_00, "Ceph"],
  [0x0b_d0_0b_d0, "Lustre"],
  [0x47_50_46_53, "GPFS"],
])

type Ask = (folder: string) => Promise<{ readonly type: number }>

/**
 * Refuses a file on a network file system, where locks and the write-ahead log of SQLite do not work between machines, and often not on one.
 * @throws AdjutantError `data_dir_unusable`
 */
export const requireLocalDisk = async (file: string, ask: Ask = statfs): Promise<void> => {
  if (process.platform !== "linux") return
  const { type } = await ask(dirname(file))
  const name = networkFileSystems.get(type)
  if (name === undefined) return
  throw new AdjutantError(
    "data_dir_unusable",
    `${dirname(file)} is on a network file system (${name}), where SQLite can lose data: choose a folder on a local disk with --data-dir, or PostgreSQL with store.url`,
  )
}
