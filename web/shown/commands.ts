import type { Session } from "../../contracts/session/session.ts"
import { isFinal } from "../../domain/run/is-final.ts"

/** Returns the command that continues on a terminal what the page shows. It decides nothing: where a session is paused, it shows what is pending and asks. */
export const commandFor = ({ id, status }: Pick<Session, "id" | "status">): string =>
  `adjutant ${isFinal(status) ? "log" : "wait"} ${id}`
