import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Writes a conversation for the scripted provider into its own directory, which is removed at disposal. */
export async function writeScript(yaml: string): Promise<AsyncDisposable & { readonly file: string }> {
  const directory = await mkdtemp(join(tmpdir(), "adjutant-script-"))
  const file = join(directory, "script.yaml")
  await writeFile(file, yaml)
  return { file, [Symbol.asyncDispose]: () => rm(directory, { recursive: true }) }
}
