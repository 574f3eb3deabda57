import type { FaultsByArea } from "../../scripts/sabotage/fault.ts"
import { approval } from "./approval.ts"
import { cli } from "./cli.ts"
import { delegation } from "./delegation.ts"
import { delivery } from "./delivery.ts"
import { durability } from "./durability.ts"
import { http } from "./http.ts"
import { limits } from "./limits.ts"
import { mcp } from "./mcp.ts"
import { models } from "./models.ts"
import { page } from "./page.ts"
import { sandbox } from "./sandbox.ts"
import { store } from "./store.ts"

export const faultsByArea: FaultsByArea = {
  approval,
  limits,
  durability,
  delivery,
  delegation,
  mcp,
  http,
  cli,
  store,
  sandbox,
  models,
  page,
}
