import type { PendingToolCall } from "../../contracts/approval/pause.ts"
import type { PausedCall } from "../../store/store.ts"

/** Returns a pending call as every channel shows it. */
export const shownCall = ({ id, name, arguments: args, preview, isProtected }: PausedCall): PendingToolCall => ({
  id,
  name,
  arguments: args,
  preview,
  ...(isProtected === true ? { protected: true } : {}),
})
