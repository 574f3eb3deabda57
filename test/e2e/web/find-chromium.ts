import { existsSync } from "node:fs"

const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

/** Finds a browser on this machine: `ADJUTANT_CHROMIUM`, or one of the usual places. */
export const findChromium = (): string | undefined =>
  [process.env["ADJUTANT_CHROMIUM"] ?? "", ...places].find((place) => place !== "" && existsSync(place))
