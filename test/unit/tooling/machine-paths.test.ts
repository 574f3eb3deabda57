import { expect, it } from "vitest"
import { trackedTexts } from "../../../scripts/checks/tracked-texts.ts"

/** Folders where a machine keeps files of users and programs, and a name below them. */
const machinePath =
  /(?<![\w.*)}@~$-])(?:\/(?:work|root|mnt|var\/folders|private\/tmp|tmp)|\/(?:home|Users)\/[\w.-]+|[A-Z]:\\Users)[\\/][\w.-]+(?:[\\/][\w.-]+)*/g

/** Names that do not come from a machine: invented users, and names used by other programs and images. */
const meant = [
  /^\/home\/(me|worker)\//,
  // The folder that sandbox-runtime shares between its commands.
  /^(\/private)?\/tmp\/claude$/,
  // Inside containers.
  /^\/tmp\/(compile-cache|\.secret)$/,
]

const findMachinePaths = (text: string): readonly string[] =>
  [...text.matchAll(machinePath)].map(([found]) => found).filter((found) => !meant.some((name) => name.test(found)))

it("finds a machine's paths", () => {
  const folders = ["work/main", "root/.cache", "home/ada/code", "Users/ada/code", "tmp/adjutant-x", "var/folders/x1"]
  const text = folders.map((folder) => `at create (/${folder}/file.ts:1:2)`).join("\n")
  expect(findMachinePaths(text)).toEqual(folders.map((folder) => `/${folder}/file.ts`))
  expect(findMachinePaths('"../worker/index.ts", @temporalio/worker, `${home}/tmp/x`, /tmp, /home/me/tmp')).toEqual([])
})

it("no tracked file contains a path of the machine that made it", () => {
  const texts = trackedTexts()
  expect(texts.length).toBeGreaterThan(500)
  expect(texts.flatMap(({ file, text }) => findMachinePaths(text).map((found) => `${file}: ${found}`))).toEqual([])
})
