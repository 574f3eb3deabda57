import { expect, test } from "vitest"
import { requireLocalDisk } from "../../../../store/sqlite/require-local-disk.ts"

const isLinux = process.platform === "linux"

test.runIf(isLinux).each([
  ["NFS", 0x69_69],
  ["CIFS", 0xff_53_4d_42],
  ["Ceph", 0x00_c3_64_00],
])("a store on %s is refused, with what to do", async (name, type) => {
  await expect(requireLocalDisk("/srv/shared/sessions.db", async () => ({ type }))).rejects.toMatchObject({
    code: "data_dir_unusable",
    message: expect.stringMatching(
      new RegExp(`^/srv/shared is on a network file system \\(${name}\\).*--data-dir.*store\\.url`),
    ),
  })
})

test("a store on a local disk, in memory, or in a folder that a virtual machine shares is not", async () => {
  for (const type of [0xef_53, 0x91_23_68_3e, 0x01_02_19_94, 0x01_02_19_97, 0x65_73_55_46])
    await requireLocalDisk("/data/sessions.db", async () => ({ type }))
})
