import type { PausedCall } from "../../store/store.ts"

/** Returns a pending call as every channel shows it. */
export const shownCall = ({ id, name, arguments: args, preview }: PausedCall): Omit<PausedCall, "isProtected"> => ({
  id,
  name,
  arguments: args,
  preview,
})
