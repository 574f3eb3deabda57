import { afterAll } from "vitest"
import { replayWaiting } from "./replay-later.ts"

afterAll(replayWaiting)
