import { render } from "preact"
import { exchanged } from "./api/token.ts"
import { App } from "./app.tsx"
import { startKeys } from "./keys.ts"
import { countInTitle } from "./state/approvals.ts"
import { readCaller } from "./state/caller.ts"
import { startClock } from "./state/clock.ts"
import { startNotifications } from "./state/notify.ts"
import { followAddress } from "./state/route.ts"
import { startStoreEvents } from "./state/store-events.ts"

// The address contains a code at first, which is no route.
await exchanged
followAddress()
startClock()
startStoreEvents()
countInTitle()
startNotifications()
void readCaller()
startKeys()
const place = document.querySelector("#app")
if (place !== null) render(<App />, place)
