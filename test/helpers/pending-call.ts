import { argumentPreview, type PreviewedCall } from "../../domain/preview/argument-preview.ts"

/** Returns a pending call with the preview that its arguments make. */
export const pendingCall = <Call extends PreviewedCall>(
  call: Call,
): Call & { preview: ReturnType<typeof argumentPreview> } => ({
  ...call,
  preview: argumentPreview(call),
})
