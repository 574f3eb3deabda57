import { lstat, mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { errorMessage, systemCode } from "../../domain/text/error-message.ts"

const existsAlready = (file: string): AdjutantError =>
  new AdjutantError("invalid_argument", `${file} exists already: remove it, or choose another folder`)

/** Writes a file, with its folder. @throws AdjutantError `invalid_argument`; with `onlyNew` also if the file exists */
const writeText = async (file: string, text: string, { onlyNew }: { readonly onlyNew: boolean }): Promise<void> => {
  try {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text, { flag: onlyNew ? "wx" : "w" })
  } catch (error) {
    if (onlyNew && systemCode(error) === "EEXIST") throw existsAlready(file)
    throw new AdjutantError("invalid_argument", `${file} cannot be written: ${errorMessage(error)}`)
  }
}

const exists = (file: string): Promise<boolean> =>
  lstat(file).then(
    () => true,
    () => false,
  )

/** Writes a recording in place of an older one. */
export const writeRecording = (file: string, text: string): Promise<void> => writeText(file, text, { onlyNew: false })

/** Writes files into a folder; none of them if one exists. Returns their paths. */
export const writeNewFiles = async (
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<readonly string[]> => {
  const all = Object.entries(files).map(([name, text]) => ({ path: join(folder, name), text }))
  for (const { path } of all) if (await exists(path)) throw existsAlready(path)
  for (const { path, text } of all) await writeText(path, text, { onlyNew: true })
  return all.map(({ path }) => path)
}
