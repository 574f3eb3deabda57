import type { Random } from "../random.ts"

/** A disturbance of a world. */
export interface FaultOf<World> {
  readonly name: string
  /** How often it is chosen, compared with the others. */
  readonly weight: number
  /** The number of processes that one occurrence kills. */
  readonly kills: number
  /** It has ended when the promise resolves; false if it was not possible. */
  readonly happen: (world: World, random: Random) => Promise<boolean | void>
}
