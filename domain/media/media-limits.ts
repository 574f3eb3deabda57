/** Bounds for images and PDF files, within what Anthropic and OpenAI accept. */
export const mediaLimits = {
  /** Anthropic refuses an image of more than 5 MB in base64, which is a third longer than its bytes. */
  imageBytes: 3_700_000,
  /** Pixels of an image's longer side. */
  imageSide: 8_000,
  pdfBytes: 10_000_000,
  /** Anthropic refuses more pages for models with a context of 200,000 tokens. */
  pdfPages: 100,
  itemsPerResult: 10,
  sessionBytes: 100_000_000,
  /** Requests can have 32 MB of base64 and text. With more than 20 images, smaller ones only are accepted. */
  request: { items: 20, bytes: 15_000_000, pages: 100 },
  /** Of all requests of a process at once. In base64, and copied into the body of a request, they take several times as much memory. */
  processBytes: 60_000_000,
} as const
