/** Returns the scratch folder of a task with `enable_sandbox`, which exists as long as its run. */
export const scratchDirectory = (dataDir: string, sessionId: string): string => `${dataDir}/scratch/${sessionId}`
