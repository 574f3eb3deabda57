import type { CallPreview } from "../../contracts/approval/call-preview.ts"

/** Returns what an approver should notice, each on a line. */
export const noticesOf = ({ asked_again, protected_path, flags }: CallPreview): readonly string[] => [
  ...(asked_again === undefined ? [] : [`asked again: ${asked_again}`]),
  ...(protected_path === undefined ? [] : [`changes the protected path ${protected_path}`]),
  ...flags,
]

/** Returns a preview without its summary as lines of text: what to notice, then the diff or the text. */
export const previewLines = (preview: CallPreview): readonly string[] => {
  const body = preview.diff ?? preview.text
  return [
    ...noticesOf(preview).map((notice) => `! ${notice}`),
    ...(body === undefined ? [] : body.trimEnd().split("\n")),
  ]
}

/** Returns a preview as one line, for places that show no more. */
export const previewLine = (preview: CallPreview): string =>
  [
    preview.summary,
    ...(preview.asked_again === undefined ? [] : [`asked again: ${preview.asked_again}`]),
    ...(preview.protected_path === undefined ? [] : [`protected: ${preview.protected_path}`]),
    ...(preview.confined === false ? ["not confined"] : []),
  ].join(" · ")
