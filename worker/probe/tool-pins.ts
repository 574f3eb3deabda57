/** Exported for `adjutant doctor` and `adjutant trust`, which show and accept what this data directory's workers have pinned. */
export { acceptToolLists, listToolPins } from "../../mcp-client/tool-pins.ts"
