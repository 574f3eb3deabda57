import { appendFileSync, existsSync } from "node:fs"
import { mkdir, truncate } from "node:fs/promises"
import path from "node:path"
import { afterEach, beforeEach, expect } from "vitest"
import { endServicesIn } from "../../helpers/end-services.ts"
import { testWith } from "../../helpers/needs.ts"
import { createProject, type Ended, type ProjectDirectory } from "../cli/program.ts"
import { mountSmall, needsMount } from "./mount-small.ts"

/** More than the store's files have room for without growing. */
const large = "0123456789abcdef".repeat(200_000)

let project: ProjectDirectory
let disk: string
let unmount: (() => void) | undefined
beforeEach(async () => {
  const write = { name: "Write", arguments: { path: "large.txt", content: large } }
  project = await createProject({
    main: { turns: [{ reply: { text: "Hello." } }] },
    large: { turns: [{ reply: { tool_calls: [write] } }, { reply: { text: "Written." } }] },
  })
  disk = path.join(project.cwd, "disk")
  await mkdir(disk)
})
afterEach(async () => {
  await endServicesIn(disk)
  unmount?.()
  await project.remove()
})

const documentOf = ({ stdout, stderr }: Ended): Record<string, unknown> => {
  expect(stdout, stderr).not.toBe("")
  return JSON.parse(stdout)
}

testWith([needsMount], "a full disk loses nothing, and work continues when there is space", async () => {
  unmount = mountSmall(disk, "size=100m,mode=0700")
  const filler = path.join(disk, "filler")
  const chunk = Buffer.alloc(65_536)
  const fill = () =>
    expect(() => {
      for (;;) appendFileSync(filler, chunk)
    }).toThrow("ENOSPC")
  const place = ["--data-dir", path.join(disk, "data"), "--output", "json"]
  const started: string[] = []
  const ends = async (ended: Promise<Ended>, final_message: string) => {
    const document = documentOf(await ended)
    expect(document).toMatchObject({ outcome: "completed", final_message })
    started.push(String(document["task_id"]))
  }

  await ends(project.run("run", "hi", ...place), "Hello.")
  fill()
  const waiting = project.start("run", "hi", "--model", "large", ...place)
  await waiting.stderrHas("waiting for the store")
  expect(existsSync(path.join(project.cwd, "large.txt"))).toBe(false)
  expect(documentOf(await project.run("list", "--status", "completed", ...place))["items"]).toHaveLength(1)
  await truncate(filler, 0)
  await ends(waiting.ended, "Written.")

  await project.run("service", "stop", ...place)
  fill()
  const refused = await project.run("run", "hi", ...place)
  expect([refused.code, refused.stdout]).toEqual([1, ""])
  expect(refused.stderr).toContain("the disk is full: free some space")
  await truncate(filler, 0)
  await ends(project.run("run", "hi", ...place), "Hello.")
  const { items } = JSON.parse((await project.run("list", "--status", "completed", ...place)).stdout)
  expect(items.map(({ id }: { readonly id: string }) => id).toSorted()).toEqual(started.toSorted())
})
