/** Name of the data directory inside a project. */
export const dataDirName = ".adjutant"
