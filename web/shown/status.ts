import type { Session } from "../../contracts/session/session.ts"
import { isFinal } from "../../domain/run/is-final.ts"

/** Returns whether no run is active: the next message starts one. */
export const isIdle = ({ status, run_id: run }: Pick<Session, "status" | "run_id">): boolean =>
  isFinal(status) || run === null
