import { afterAll } from "vitest"
import { replayKept } from "./replay-later.ts"

afterAll(replayKept)
