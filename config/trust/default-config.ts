import { configSchema } from "../../contracts/config/config.ts"

/** The configuration of a project without a configuration file. */
export const defaultConfig = configSchema.parse({})
