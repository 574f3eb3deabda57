import type { SessionRow } from "../../store/store.ts"

/** Returns whether the session was created for a thread of a channel. */
export const isOfThread = ({ internal }: Pick<SessionRow, "internal">): boolean =>
  typeof internal["channel"] === "string"
