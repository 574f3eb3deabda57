import { Option } from "commander"
import { thinkingSchema } from "../../contracts/model-provider.ts"

/** Returns the option that sets the thinking level of a run. */
export const thinkingOption = (): Option =>
  new Option("--thinking <level>", "Set how much the model thinks (default: as the model is configured)").choices(
    thinkingSchema.options,
  )
