import type { Message, MediaReference } from "../../contracts/message.ts"
import type { ProviderName } from "../../contracts/run/model-provider.ts"
import { mediaLimits } from "./media-limits.ts"

/** Each page is sent as text, with 1,500 to 3,000 tokens, and as an image. */
const tokensPerPage = 3_000
/** For files that do not say how many pages they have. */
const bytesPerPage = 50_000

type Size = Required<Pick<MediaReference, "width" | "height">>

const patches = ({ width, height }: Size, side: number): number => Math.ceil(width / side) * Math.ceil(height / side)

const scaledTo = ({ width, height }: Size, longest: number): Size => {
  const scale = Math.min(1, longest / Math.max(width, height))
  return { width: width * scale, height: height * scale }
}

/** Anthropic counts patches of 28 pixels, after it has made larger images smaller: to at most 2,576 pixels and 4,784 patches. */
const anthropicTokens = (size: Size): number => Math.min(4_784, patches(scaledTo(size, 2_576), 28))

/** OpenAI counts, depending on the model, patches of 32 pixels, or tiles of 512 pixels of an image whose shorter side is at most 768. */
const openAiTokens = (size: Size): number => {
  const fitted = scaledTo(size, 2_048)
  const scale = Math.min(1, 768 / Math.min(fitted.width, fitted.height))
  const tiles = patches({ width: fitted.width * scale, height: fitted.height * scale }, 512)
  return Math.max(85 + 170 * tiles, Math.min(2_500, patches(size, 32)))
}

/** Returns how many tokens an image or a PDF has in a prompt, by the rule that its provider publishes; rather too many. */
export const tokensOfMedia = ({ bytes, width, height, pages }: MediaReference, provider: ProviderName): number => {
  if (width === undefined || height === undefined)
    return (pages ?? Math.min(mediaLimits.pdfPages, Math.ceil(bytes / bytesPerPage))) * tokensPerPage
  const isOpenAi = provider === "openai" || provider === "openai-compatible" || provider === "azure-openai"
  return (isOpenAi ? openAiTokens : anthropicTokens)({ width, height })
}

/** Returns the tokens of all images and PDF files of messages. */
export const mediaTokens = (messages: readonly Message[], provider: ProviderName): number =>
  messages.reduce(
    (sum, message) =>
      message.role === "tool"
        ? (message.media ?? []).reduce((total, reference) => total + tokensOfMedia(reference, provider), sum)
        : sum,
    0,
  )
