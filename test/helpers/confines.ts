import { detectSandbox } from "../../worker/detect-sandbox.ts"

/** Returns whether a sandbox confines commands on this machine. */
export const confines = async (): Promise<boolean> => {
  const sandbox = await detectSandbox("auto")
  await sandbox.close?.()
  return sandbox.confined
}
