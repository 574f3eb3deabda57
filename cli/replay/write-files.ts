import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { errorMessage, systemCode } from "../../domain/text/error-message.ts"

/** Writes a file, with its folder. @throws AdjutantError `invalid_argument`; with `onlyNew` also if the file exists */
const writeText = async (file: string, text: string, { onlyNew }: { readonly onlyNew: boolean }): Promise<void> => {
  try {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text, { flag: onlyNew ? "wx" : "w" })
  } catch (error) {
    throw new AdjutantError(
      "invalid_argument",
      systemCode(error) === "EEXIST"
        ? `${file} exists already: remove it, or choose another folder`
        : `${file} cannot be written: ${errorMessage(error)}`,
    )
  }
}

/** Writes a recording in place of an older one. */
export const writeRecording = (file: string, text: string): Promise<void> => writeText(file, text, { onlyNew: false })

/** Writes files into a folder, none of which may exist. Returns their paths. */
export const writeNewFiles = async (
  folder: string,
  files: Readonly<Record<string, string>>,
): Promise<readonly string[]> => {
  const paths: string[] = []
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name)
    await writeText(path, text, { onlyNew: true })
    paths.push(path)
  }
  return paths
}
