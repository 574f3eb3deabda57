/** Name of the folder in a working directory that contains the document of a pause, and that older versions used as the data directory. */
export const dataDirName = ".adjutant"

/** Name of the folder in the user's state folder that contains the data directories of all projects. */
export const stateFolderName = "adjutant"

/** Returns the folder to close with a data directory: that of all projects if it is in the user's state folder, otherwise itself. */
export const dataRootOf = (dataDir: string): string => {
  const [, folder, name = ""] = /^(.*[\\/]([^\\/]+))[\\/][^\\/]+-[0-9a-f]{8}[\\/]?$/.exec(dataDir) ?? []
  return name === stateFolderName && folder !== undefined ? folder : dataDir
}

/** Returns the scratch folder of a task with `enable_sandbox`, which exists as long as its run. */
export const scratchDirectory = (dataDir: string, sessionId: string): string => `${dataDir}/scratch/${sessionId}`
